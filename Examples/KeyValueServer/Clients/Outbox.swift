// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// Orders one client's replies and messages. While the client does not read, answers none of its requests.
///
/// The outbox handles requests and messages in the order of their arrival. It pauses while the connection is paused, or
/// while `window` bytes are queued for the connection's loop. During a pause it executes no request and sends no
/// message. The rest of the batch waits, the reader is paused, and messages wait within the limits of the settings.
///
/// Call all methods on the store's loop, except `arrived(_:)` and `close()`.
final class Outbox: Sendable {
    /// The number of bytes of replies that are sent together, and that may be queued for another loop.
    static let window = 64 * 1024

    private let settings: Settings
    private let answers: Answers
    private let home: any LoopScheduler
    private let state = Mutex(State())
    /// The number of bytes that are queued for the connection's loop.
    private let underWay = Atomic(0)

    init(_ answers: Answers, on home: any LoopScheduler, _ settings: Settings) {
        self.answers = answers
        self.home = home
        self.settings = settings
    }

    /// Starts to answer `requests`, and sends the replies to `emitter`.
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

    /// Sends a message after all earlier replies and messages. A message that a request of this client causes follows
    /// the reply to that request.
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

    /// Terminates the output after the replies to all requests so far. A failure terminates it immediately.
    func end(_ termination: Termination<SocketError>) {
        state.withLock { state in if state.termination == nil { state.termination = termination } }
        proceed()
    }

    /// Records that a rope of `count` bytes has arrived at the connection's loop. It is called on that loop.
    func arrived(_ count: Int) {
        let (old, new) = underWay.subtract(count, ordering: .acquiringAndReleasing)
        // If both loops are the same, `work` makes this call and continues by itself.
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

    /// Executes steps until nothing is left or the client does not read.
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

    /// Answers some requests. Returns false if the client leaves.
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

    /// Pauses the reader until the waiting requests are answered.
    private func hold(_ input: SignalSubscription) {
        let hold = input.pause()
        let isNeeded = state.withLock { $0.keep(hold) }
        if !isNeeded { hold.dispose() }
    }

    /// Releases everything. Any thread may call it.
    private func close() {
        let last = state.withLock { state in
            let last = state
            state = State(phase: .over)
            return last
        }
        last.hold?.dispose()
    }
}
