// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals
public import ReactiveSupport

/// Executes requests, and sends the replies in the order that ``ReplyOrder`` says.
///
/// The ``Junction`` runs one step at a time, and only steps access the variables. If the work is a function and the
/// request need not wait, the step that receives the request also sends the reply. Any other request has a slot until
/// its last reply has been sent.
@usableFromInline
final class Replies<Request: Sendable, Output: Sendable, Break: Error, Failure: Error> {
    @usableFromInline
    typealias Chosen = Command<Request, Output, Break>
    @usableFromInline
    typealias Choice = @Sendable (Request) -> Chosen
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

    /// Counts the unanswered requests, and pauses the source at the limit.
    @usableFromInline
    let backPressure: BackPressure
    @usableFromInline
    typealias Slot = ReplySlot<Request, Output>

    /// The executions under way, and those that ended while earlier requests still lack replies. Used with
    /// `.asRequested` only.
    @safe @exclusivity(unchecked)
    @usableFromInline
    var slots = FIFO<Slot>()
    /// The number of requests with a slot. Both cases of ``ReplyOrder`` use it.
    @safe @exclusivity(unchecked)
    @usableFromInline
    var outstanding = 0
    /// Requests that the source has sent although it was paused.
    @safe @exclusivity(unchecked)
    @usableFromInline
    var waiting = FIFO<(request: Request, command: Chosen)>()
    /// The request that waits in its command beyond the limit of the command's queue.
    @safe @exclusivity(unchecked)
    @usableFromInline
    var stuck: Slot?
    @safe @exclusivity(unchecked)
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
        backPressure = BackPressure(outer, settings.limit, .byOperator)
    }

    /// Receives a request. Counting it may pause the source. Only the code that receives may count a request, and it does so
    /// before it queues the request; see ``BackPressure``.
    @inlinable
    func receive(_ request: Request) {
        if outer.isDisposed { return }
        let isTaken = junction.runIfFree(request) { request in
            guard let command = answer(request) else { return }
            backPressure.arrived()
            take(request, command)
        }
        if isTaken { return }
        backPressure.arrived()
        junction.queue(request) { [self] request in
            if let command = answer(request) { take(request, command) } else { backPressure.taken() }
        }
    }

    /// Receives the termination of the requests.
    @inlinable
    func outerEnded(_ termination: Termination<Failure>) {
        if outer.isDisposed { return }
        outer.dispose()
        junction.run(termination) { [self] termination in
            switch termination {
            case .failed: junction.end(termination)
            case .completed:
                isOuterOver = true
                proceed()
            }
        }
    }

    /// Answers a request immediately and returns `nil`, if the work is a function, no earlier request waits, and the
    /// command admits the request. Otherwise returns the command.
    @inlinable
    func answer(_ request: Request) -> Chosen? {
        let command = choose(request)
        guard let function = command.function, waiting.isEmpty, slots.isEmpty, command.core.enter() else {
            return command
        }
        do throws(Break) {
            let value = try function(request)
            command.core.leave(value)
            junction.send(value)
        } catch {
            command.core.leave(throwing: error)
            junction.send(onError(.failed(error), request))
        }
        return nil
    }

    @inlinable
    @inline(never)
    func take(_ request: Request, _ command: Chosen) {
        if stuck != nil || outstanding >= settings.limit || !waiting.isEmpty {
            waiting.append((request, command))
        } else {
            begin(request, command)
        }
    }

    @inlinable
    func begin(_ request: Request, _ command: Chosen) {
        let work = TrackedSubscription()
        let slot = Slot(request, work)
        outstanding += 1
        if settings.order == .asRequested { slots.append(slot) }
        // Disposed and paused with the inputs.
        let child = junction.inputs.makeChild()
        let target = UnsafeTransfer((replies: self, slot: slot))
        let outlet = Outlet<Output, Break>(
            onValue: { value in
                target.value.slot.backPressure.arrived()
                target.value.replies.junction.run(value) { target.value.replies.send($0, target.value.slot) }
            },
            onTermination: { termination, _ in
                child.dispose()
                let replies = target.value.replies
                // A rejection or a cancellation comes from the thread of another request.
                replies.junction.inputs.restoring {
                    replies.junction.run(termination) { target.value.replies.ended($0, target.value.slot) }
                }
            }
        )
        let onBegin: @Sendable () -> Void = {
            let replies = target.value.replies
            replies.junction.inputs.restoring {
                replies.junction.run(target.value.slot) { target.value.replies.hasBegun($0) }
            }
        }
        let isGuest = settings.whenFull == .wait
        let cancels = settings.whenDisposed == .cancel
        let (execution, refused) = command.makeExecution(
            request,
            outlet,
            in: work,
            for: cancels ? junction.inputs : nil,
            onBegin: isGuest ? onBegin : nil,
            carrying: junction.inputs.context
        )
        child.passPauses(to: work, .inOrder)
        if cancels { child.onDispose { execution.cancel() } }
        if command.core.submit(execution, refused: refused, isGuest: isGuest) == .waitsBeyondLimit {
            stuck = slot
            outer.addPause(.byOperator)
        }
    }

    @inlinable
    func send(_ value: Output, _ slot: Slot) {
        // The execution may have been cancelled while it sent this value: by another thread, or by its own pause.
        if slot.isOver { return }
        if settings.order == .asFinished || slots.first === slot {
            junction.send(value)
            slot.backPressure.taken()
        } else {
            slot.values.append(value)
        }
    }

    @inlinable
    func hasBegun(_ slot: Slot) {
        release(slot)
        proceed()
    }

    @inlinable
    func release(_ slot: Slot) {
        guard stuck === slot else { return }
        stuck = nil
        outer.removePause(.byOperator)
    }

    @inlinable
    func ended(_ termination: Termination<CommandError<Break>>, _ slot: Slot) {
        release(slot)
        if case .failed(let error) = termination {
            slot.backPressure.arrived()
            slot.values.append(onError(error, slot.request))
        }
        slot.isOver = true
        if settings.order == .asRequested {
            flushInOrder()
        } else {
            sendAll(of: slot)
        }
        proceed()
    }

    @inlinable
    func flushInOrder() {
        while let slot = slots.first {
            if slot.isOver { _ = slots.popFirst() }
            sendAll(of: slot)
            if !slot.isOver { return }
        }
    }

    /// Sends the replies of a slot so far, and frees the slot if its execution has ended.
    @inlinable
    func sendAll(of slot: Slot) {
        let values = slot.values
        slot.values = []
        for value in values {
            junction.send(value)
            slot.backPressure.taken()
        }
        guard slot.isOver else { return }
        outstanding -= 1
        backPressure.taken()
    }

    @inlinable
    func proceed() {
        while stuck == nil, outstanding < settings.limit, let next = waiting.popFirst() {
            begin(next.request, next.command)
        }
        if isOuterOver, outstanding == 0, waiting.isEmpty { junction.end(.completed) }
    }
}
