// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// What waits for the transformer of a connection: sends whose bytes it keeps, callbacks for the end of sending, and the
/// time limit of its need of input.
///
/// A handshake needs it. Afterwards it is empty, and takes 8 bytes.
struct TransformerWait {
    typealias Completion = @Sendable (Termination<SocketError>) -> Void
    /// A callback for the result of a send, and the subscription that waits for it.
    typealias Observer = (subscription: SignalSubscription, end: Completion)

    private final class Content {
        var tickets: [SendTicket] = []
        var observers: [Observer] = []
        /// Callbacks for the end of sending. The results of their `send(from:)` may have been discarded.
        var ends: [SendBacklog.SendEnd] = []
        var timer: (any Disposable)?

        var isEmpty: Bool { tickets.isEmpty && observers.isEmpty && ends.isEmpty && timer == nil }
    }

    private var content: Content?

    var hasTickets: Bool { content?.tickets.isEmpty == false }
    /// Whether a subscriber of the result of a send still waits.
    var isObserved: Bool { content?.observers.contains { !$0.subscription.isDisposed } == true }

    private mutating func needed() -> Content { content.orStore(Content()) }

    mutating func add(_ ticket: SendTicket) { needed().tickets.append(ticket) }

    mutating func add(_ observer: Observer) { needed().observers.append(observer) }

    mutating func add(end: @escaping SendBacklog.SendEnd) { needed().ends.append(end) }

    mutating func set(timer: any Disposable) { needed().timer = timer }

    /// Removes and returns the sends, and the callbacks for their results.
    mutating func takeSends() -> (tickets: [SendTicket], observers: [Observer]) {
        take { content in (content.tickets.takeAll(), content.observers.takeAll()) } ?? ([], [])
    }

    /// Removes and returns the callbacks for the end of sending.
    mutating func takeEnds() -> [SendBacklog.SendEnd] {
        take { content in content.ends.takeAll() } ?? []
    }

    mutating func takeTimer() -> (any Disposable)? {
        take { content in content.timer.take() } ?? nil
    }

    /// Releases the content if nothing is left.
    private mutating func take<Taken>(_ body: (Content) -> Taken) -> Taken? {
        guard let content else { return nil }
        let taken = body(content)
        if content.isEmpty { self.content = nil }
        return taken
    }
}
