// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// A value that an execution has begun to send when it is cancelled.
@Suite struct LateReplyTests {
    /// The 64th reply that waits pauses its execution, whose work then cancels the execution. So the cancellation is
    /// complete before that reply reaches the signal of replies.
    @Test(
        "No value of an execution follows the reply to its cancellation",
        arguments: [ReplyOrder.asRequested, .asFinished]
    )
    func cancelledWhileSending(_ order: ReplyOrder) {
        let slow = ManualWork()
        let requests = Subject<Int, TestError>()
        let emitter = Box<Emitter<Int, TestError>?>(nil)
        let onPause = Box<(@Sendable () -> Void)?>(nil)
        let first = slow.command()
        let second = Command<Int, Int, TestError> { _ in
            Signal { events, subscription in
                subscription.onFlowChange { isPaused in if isPaused { onPause.value?() } }
                emitter.value = events
            }
        }
        onPause.value = { second.end(.cancel) }
        // While the reply 10 is delivered, other replies wait.
        let log = requests.signal
            .execute(order: order, choosing: { $0 == 1 ? first : second }, onError: { _, request in -request })
            .handleEvents(onValue: { value in
                if value == 10 { for reply in 101...164 { emitter.value?.send(reply) } }
            })
            .log()
        requests.send(1)
        requests.send(2)
        slow[0].send(10)
        #expect(!second.isExecuting.value)
        slow[0].complete()
        requests.complete()
        #expect(log.values == [10] + Array(101...163) + [-2])
        #expect(log.end == .completed)
        onPause.value = nil
        emitter.value = nil
    }
}
