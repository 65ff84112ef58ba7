// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// The next step of an outbox.
enum OutboxStep {
    /// Choose a step from the state.
    case next
    case message(Bytes)
    case requests(Unanswered)
    case end(Termination<SocketError>)
    /// No work is left, or the client does not read. If `holdsInput` is true, pause the reader, because requests wait.
    case rest(holdsInput: Bool)
}

extension Outbox {
    struct Flow: Sendable {
        let client: Client
        let emitter: Emitter<Rope, SocketError>
        let output: SignalSubscription
        let input: SignalSubscription
    }

    /// The waiting requests and messages, and the phase of the work.
    struct State: Sendable {
        enum Phase { case idle, sending, answering, over }

        enum MessageAction { case sendNow, append, wait, disconnect, ignore }

        var phase = Phase.idle
        var flow: Flow?
        private(set) var hold: (any Disposable)?
        var termination: Termination<SocketError>?
        private var requests: Unanswered?
        private var messages = WaitingMessages()
        /// The number of messages that arrived before the requests.
        private var messagesBefore = 0

        init(phase: Phase = .idle) {
            self.phase = phase
        }

        /// Begins to work. Returns false if work is already in progress.
        mutating func begin() -> Bool {
            guard phase == .idle else { return false }
            phase = .sending
            return true
        }

        mutating func next(isOpen: Bool) -> OutboxStep {
            if phase == .over { return .rest(holdsInput: false) }
            if case .failed? = termination, let termination { return .end(termination) }
            if isOpen {
                if requests == nil || messagesBefore > 0, let message = popMessage() { return .message(message) }
                if let requests {
                    phase = .answering
                    return .requests(requests)
                }
                if let termination { return .end(termination) }
            }
            phase = .idle
            return .rest(holdsInput: requests != nil && hold == nil)
        }

        mutating func receive(_ new: Unanswered) {
            // Requests after a termination are not answered.
            guard phase != .over, termination == nil else { return }
            precondition(requests == nil, "requests arrived while the reader was paused")
            requests = new
            messagesBefore = messages.count
        }

        /// Enqueues a message. Returns the messages that are dropped because of it. The caller releases them outside
        /// the lock.
        mutating func receive(_ message: Bytes, isOpen: Bool, _ settings: Settings) -> (MessageAction, [Bytes]) {
            switch phase {
            case .over: return (.ignore, [])
            case .answering: return (.append, [])
            case .idle where isOpen && messages.isEmpty && requests == nil:
                phase = .sending
                return (.sendNow, [])
            case .idle, .sending: break
            }
            messages.append(message)
            var dropped: [Bytes] = []
            while messages.exceeds(settings) {
                if settings.slowSubscribers == .disconnect { return (.disconnect, []) }
                if let oldest = popMessage() { dropped.append(oldest) }
            }
            return (.wait, dropped)
        }

        /// Stores the requests that have not been answered. If there are none, returns the reader's pause token, which
        /// the caller must dispose.
        mutating func answered(_ rest: Unanswered?) -> (any Disposable)? {
            guard phase == .answering else { return nil }
            phase = .sending
            requests = rest
            return rest == nil ? hold.take() : nil
        }

        /// Stores the reader's pause token. Returns false if no requests wait, or a token is already stored.
        mutating func keep(_ new: any Disposable) -> Bool {
            guard requests != nil, hold == nil else { return false }
            hold = new
            return true
        }

        private mutating func popMessage() -> Bytes? {
            messagesBefore = max(0, messagesBefore - 1)
            return messages.popFirst()
        }
    }
}
