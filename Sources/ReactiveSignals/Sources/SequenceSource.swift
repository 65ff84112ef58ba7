public import ReactiveCore
public import ReactiveSupport

/// A source that waits; without its types, because a closure that travels may not know an iterator's.
@usableFromInline
class PausedSource {
    @inlinable
    init() {}

    @inlinable
    func proceed() {}
}

/// A sequence that was paused in the middle, and goes on when it is resumed.
@usableFromInline
final class SequenceSource<Iterator: IteratorProtocol, Failure: Error>: PausedSource where Iterator.Element: Sendable {
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

    /// Sends all of it, or what comes before a pause; then the rest follows.
    @inlinable
    static func start<S: Sequence>(
        _ values: S,
        _ sink: Sink<S.Element, Failure>,
        _ subscription: SignalSubscription
    ) where S.Iterator == Iterator {
        var iterator = values.makeIterator()
        while subscription.isOpen {
            guard let value = iterator.next() else { return sink.receive(termination: .completed) }
            sink.receive(value)
        }
        if subscription.isDisposed { return }
        let source = UnsafeTransfer<PausedSource>(SequenceSource(iterator, sink, subscription))
        subscription.onFlowChange { isPaused in if !isPaused { source.value.proceed() } }
        // It may have been resumed before it listened.
        source.value.proceed()
    }

    /// Goes on sending, unless somebody is doing so: that one goes on then.
    @inlinable
    override func proceed() {
        guard claim.announce() else { return }
        claim.drain {
            while !isOver, subscription.isOpen {
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
