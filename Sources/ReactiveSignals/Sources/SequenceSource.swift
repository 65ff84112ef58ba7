// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

/// A paused sequence, which continues when the subscription is resumed.
@usableFromInline
final class SequenceSource<Iterator: IteratorProtocol, Failure: Error> where Iterator.Element: Sendable {
    @usableFromInline
    let sink: Sink<Iterator.Element, Failure>
    @usableFromInline
    let subscription: SignalSubscription
    @usableFromInline
    let claim = DrainClaim()

    @safe @exclusivity(unchecked)
    @usableFromInline
    var rest: Iterator
    @safe @exclusivity(unchecked)
    @usableFromInline
    var isOver = false

    @inlinable
    init(_ rest: Iterator, _ sink: Sink<Iterator.Element, Failure>, _ subscription: SignalSubscription) {
        self.rest = rest
        self.sink = sink
        self.subscription = subscription
    }

    /// Sends all values. A pause suspends the iteration, and the remaining values follow after the resume.
    @inlinable
    static func start<S: Sequence>(
        _ values: S,
        _ sink: Sink<S.Element, Failure>,
        _ subscription: SignalSubscription
    ) where S.Iterator == Iterator {
        var iterator = values.makeIterator()
        while subscription.acceptsValues {
            guard let value = iterator.next() else { return sink.receive(termination: .completed) }
            sink.receive(value)
        }
        if subscription.isDisposed { return }
        // A `@Sendable` closure must not capture the iterator's type.
        let proceed = UnsafeTransfer<() -> Void>(SequenceSource(iterator, sink, subscription).proceed)
        subscription.onFlowChange { isPaused in if !isPaused { proceed.value() } }
        // The resume may have happened before the listener was added.
        proceed.value()
    }

    /// Continues sending. If another call is sending already, that call continues instead.
    @inlinable
    func proceed() {
        guard claim.announce() else { return }
        claim.drain {
            while !isOver, subscription.acceptsValues {
                if let value = rest.next() {
                    sink.receive(value)
                } else {
                    isOver = true
                    sink.receive(termination: .completed)
                }
            }
        }
    }
}
