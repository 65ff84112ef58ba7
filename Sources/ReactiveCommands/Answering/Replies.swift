public import ReactiveCore
public import ReactiveSignals
public import ReactiveSupport

/// Executes requests, and puts what comes of it into one order.
///
/// The variables belong to the junction's steps. A request whose work is a function, and that nothing has to wait for, is
/// answered in its step; all others have a slot until their last reply has been sent.
@usableFromInline
final class Replies<Request: Sendable, Output: Sendable, Break: Error, Failure: Error> {
    @usableFromInline
    typealias Choice = @Sendable (Request) -> Command<Request, Output, Break>
    @usableFromInline
    typealias ErrorReply = @Sendable (CommandError<Break>, Request) -> Output

    @usableFromInline
    let junction: Junction<Output, Failure>
    @usableFromInline
    let outer: SignalSubscription
    @usableFromInline
    let settings: ReplySettings
    @usableFromInline
    let choose: Choice
    @usableFromInline
    let onError: ErrorReply

    /// Those that are under way, and those that have ended before it was their turn.
    @exclusivity(unchecked)
    @usableFromInline
    var slots = FIFO<ReplySlot<Output>>()
    /// How many have a slot, whether in order or not.
    @exclusivity(unchecked)
    @usableFromInline
    var outstanding = 0
    /// What the source has sent before it was held back.
    @exclusivity(unchecked)
    @usableFromInline
    var waiting = FIFO<Request>()
    @exclusivity(unchecked)
    @usableFromInline
    var isHoldingBack = false
    @exclusivity(unchecked)
    @usableFromInline
    var isStuck = false
    @exclusivity(unchecked)
    @usableFromInline
    var isOuterOver = false

    @inlinable
    init(
        _ junction: Junction<Output, Failure>,
        _ settings: ReplySettings,
        _ choose: @escaping Choice,
        _ onError: @escaping ErrorReply
    ) {
        self.junction = junction
        self.settings = settings
        self.choose = choose
        self.onError = onError
        outer = junction.inputs.makeChild()
    }

    /// A request has come.
    @inlinable
    func take(_ request: Request) {
        if isHoldingBack {
            waiting.append(request)
        } else {
            start(request)
        }
    }

    /// There are no more requests.
    @inlinable
    func outerEnded(_ termination: Termination<Failure>) {
        switch termination {
        case .failed: junction.end(termination)
        case .completed:
            isOuterOver = true
            proceed()
        }
    }

    @inlinable
    func start(_ request: Request) {
        let command = choose(request)
        guard let function = command.function, slots.isEmpty, command.core.enter() else {
            return begin(request, command)
        }
        do throws(Break) {
            let value = try function(request)
            command.core.leave(value)
            junction.send(value)
        } catch {
            command.core.leave(throwing: error)
            junction.send(onError(.failed(error), request))
        }
    }

    @inlinable
    @inline(never)
    func begin(_ request: Request, _ command: Command<Request, Output, Break>) {
        let slot = ReplySlot<Output>()
        outstanding += 1
        if settings.order == .asRequested { slots.append(slot) }
        let isGuest = settings.whenFull == .waits
        let place = Confined((replies: self, slot: slot))
        // It ends with the inputs, and waits with them.
        let child = junction.inputs.makeChild()
        let work = SignalSubscription()
        let outlet = Outlet<Output, Break>(
            onValue: { value in
                let (replies, slot) = place.value
                replies.junction.run(value) { replies.send($0, slot, work) }
            },
            onTermination: { termination in
                let (replies, slot) = place.value
                child.dispose()
                replies.junction.run(termination) { replies.ended($0, slot, request) }
            }
        )
        let onBegin: @Sendable () -> Void = {
            let (replies, slot) = place.value
            replies.junction.run(slot) { replies.hasBegun($0) }
        }
        let (execution, isRefused) = command.makeExecution(request, outlet, in: work, onBegin: isGuest ? onBegin : nil)
        child.hold(work)
        if settings.whenDisposed == .cancels { child.onDispose { execution.cancel() } }
        slot.isStuck = command.core.submit(execution, isRefused: isRefused, isGuest: isGuest) == .waitsBeyondLimit
        if slot.isStuck { isStuck = true }
        holdBackIfFull()
    }

    @inlinable
    func send(_ value: Output, _ slot: ReplySlot<Output>, _ work: SignalSubscription) {
        if settings.order == .asFinished || slots.first === slot {
            junction.send(value)
        } else {
            slot.keep(value, from: work)
        }
    }

    @inlinable
    func hasBegun(_ slot: ReplySlot<Output>) {
        guard slot.isStuck else { return }
        slot.isStuck = false
        isStuck = false
        proceed()
    }

    @inlinable
    func ended(
        _ termination: Termination<CommandError<Break>>,
        _ slot: ReplySlot<Output>,
        _ request: Request
    ) {
        if slot.isStuck {
            slot.isStuck = false
            isStuck = false
        }
        if case .failed(let error) = termination { slot.values.append(onError(error, request)) }
        slot.isOver = true
        if settings.order == .asRequested {
            sendThoseWhoseTurnItIs()
        } else {
            outstanding -= 1
            for value in slot.values { junction.send(value) }
        }
        proceed()
    }

    @inlinable
    func sendThoseWhoseTurnItIs() {
        while let slot = slots.first {
            let values = slot.values
            slot.values = []
            for value in values { junction.send(value) }
            guard slot.isOver else { return slot.letGo() }
            outstanding -= 1
            _ = slots.popFirst()
        }
    }

    @inlinable
    var isFull: Bool { isStuck || outstanding >= settings.limit }

    @inlinable
    func holdBackIfFull() {
        guard isFull, !isHoldingBack else { return }
        isHoldingBack = true
        outer.hold()
    }

    @inlinable
    func proceed() {
        if isHoldingBack, !isStuck, outstanding * 2 <= settings.limit {
            while !isFull, let request = waiting.popFirst() { start(request) }
            if !isFull {
                isHoldingBack = false
                outer.letGo()
            }
        }
        if isOuterOver, outstanding == 0, waiting.isEmpty { junction.end(.completed) }
    }
}
