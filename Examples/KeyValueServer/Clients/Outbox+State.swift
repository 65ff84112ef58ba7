import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// What an outbox does next.
enum OutboxStep {
    /// Looks at what waits.
    case next
    case message(Bytes)
    case requests(Unanswered)
    case end(Termination<SocketError>)
    /// Nothing is left, or the client does not read. The reader is paused where requests wait.
    case rest(holdsInput: Bool)
}

extension Outbox {
    struct Flow: Sendable {
        let client: Client
        let emitter: Emitter<Rope, SocketError>
        let output: SignalSubscription
        let input: SignalSubscription
    }

    /// What waits.
    struct State: Sendable {
        enum Phase { case idle, sending, answering, over }

        enum MessageAction { case sendNow, append, wait, disconnect, ignore }

        var phase = Phase.idle
        var flow: Flow?
        private(set) var hold: (any Disposable)?
        var termination: Termination<SocketError>?
        private var requests: Unanswered?
        private var messages = WaitingMessages()
        /// How many of the messages came before the requests.
        private var messagesBefore = 0

        init(phase: Phase = .idle) {
            self.phase = phase
        }

        /// True where nothing is under way; then the caller works.
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
            // After the end of the requests nothing is answered.
            guard phase != .over, termination == nil else { return }
            precondition(requests == nil, "requests came while the reader was paused")
            requests = new
            messagesBefore = messages.count
        }

        /// Takes in a message; what does not fit any more is given back, to be released outside the lock.
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

        /// Some requests have been answered; gives back the reader's hold where they all have.
        mutating func answered(_ rest: Unanswered?) -> (any Disposable)? {
            guard phase == .answering else { return nil }
            phase = .sending
            requests = rest
            return rest == nil ? hold.take() : nil
        }

        /// Keeps the reader paused; false where no requests wait.
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
