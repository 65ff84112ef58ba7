import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// Puts one client's replies and messages in order, and keeps its requests unanswered while it does not read.
///
/// The outbox handles requests and messages in the order in which they came. It pauses while the connection is paused, or while
/// `window` bytes are on their way to the connection's loop. During a pause it carries out no request and sends no message: the
/// rest of the batch waits, the reader is paused, and messages wait as far as the settings let them.
///
/// The store's loop calls everything but `arrived(_:)` and `close()`.
final class Outbox: Sendable {
    /// How many bytes of replies are sent together, and how many may be on their way to another loop.
    static let window = 64 * 1024

    private let settings: Settings
    private let answers: Answers
    private let home: any LoopScheduler
    private let state = Mutex(State())
    /// Bytes on their way to the connection's loop.
    private let underWay = Atomic(0)

    init(_ answers: Answers, on home: any LoopScheduler, _ settings: Settings) {
        self.answers = answers
        self.home = home
        self.settings = settings
    }

    /// Begins to answer `requests` into `emitter`.
    func start(
        _ client: Client,
        answering requests: Signal<Batch, SocketError>,
        _ emitter: Emitter<Rope, SocketError>,
        _ output: SignalSubscription
    ) {
        let input = output.makeChild()
        state.withLock { $0.flow = Flow(client: client, emitter: emitter, output: output, input: input) }
        output.onFlowChange { [self] isPaused in if !isPaused { wake() } }
        output.onDispose { [self] in close() }
        requests.subscribe(in: input, onValue: { [self] in receive($0) }, onTermination: { [self] in end($0) })
    }

    /// Sends a message behind all that came before it. One that is caused by a request of the same client follows the reply.
    func send(_ message: Bytes) {
        let (action, dropped) = state.withLock { $0.receive(message, isOpen: isOpen($0), settings) }
        switch action {
        case .sendNow: work(.message(message))
        case .append: answers.append(message)
        case .disconnect: state.withLock { $0.flow }?.client.connection.abort()
        case .wait, .ignore: break
        }
        withExtendedLifetime(dropped) {}
    }

    /// Ends the output, behind the replies to the requests that have come; a failure does not wait.
    func end(_ termination: Termination<SocketError>) {
        state.withLock { state in if state.termination == nil { state.termination = termination } }
        proceed()
    }

    /// A rope has arrived at the connection's loop. Called there.
    func arrived(_ count: Int) {
        let (old, new) = underWay.subtract(count, ordering: .acquiringAndReleasing)
        // Where there is no hop, the outbox is in the middle of its work.
        if old > Self.window / 2, new <= Self.window / 2, !home.isCurrent { wake() }
    }

    private func wake() {
        home.execute { [self] in proceed() }
    }

    private func receive(_ batch: Batch) {
        if batch.isEmpty { return }
        state.withLock { $0.receive(Unanswered(batch)) }
        proceed()
    }

    private func proceed() {
        if state.withLock({ $0.begin() }) { work(.next) }
    }

    /// Does one step after the other until nothing is left or the client does not read.
    private func work(_ first: OutboxStep) {
        var step = first
        while true {
            guard let flow = state.withLock({ $0.flow }) else { return }
            switch step {
            case .next: break
            case .message(let message): send(Rope(message), flow)
            case .requests(let requests): if !answer(requests, flow) { return }
            case .end(let termination):
                flow.emitter.send(termination: termination)
                return close()
            case .rest(let holdsInput):
                if holdsInput { hold(flow.input) }
                return
            }
            step = state.withLock { $0.next(isOpen: isOpen($0)) }
        }
    }

    /// Answers some requests; false where the client leaves.
    private func answer(_ requests: Unanswered, _ flow: Flow) -> Bool {
        var requests = requests
        let progress = flow.client.answer(&requests)
        if answers.isOverLimit {
            flow.client.connection.abort()
            close()
            return false
        }
        let hold = state.withLock { $0.answered(progress == .some ? requests : nil) }
        if let replies = answers.take() { send(replies, flow) }
        hold?.dispose()
        guard progress == .leaving else { return true }
        flow.emitter.complete()
        close()
        return false
    }

    private func send(_ rope: Rope, _ flow: Flow) {
        underWay.add(rope.count, ordering: .acquiringAndReleasing)
        flow.emitter.send(rope)
    }

    private func isOpen(_ state: borrowing State) -> Bool {
        guard let flow = state.flow else { return false }
        return !flow.output.isPaused && underWay.load(ordering: .acquiring) < Self.window
    }

    /// Pauses the reader until the requests that wait are answered.
    private func hold(_ input: SignalSubscription) {
        let hold = input.pause()
        let isNeeded = state.withLock { $0.keep(hold) }
        if !isNeeded { hold.dispose() }
    }

    /// Releases everything. Any thread.
    private func close() {
        let last = state.withLock { state in
            let last = state
            state = State(phase: .over)
            return last
        }
        last.hold?.dispose()
    }
}
