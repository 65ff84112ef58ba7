// SPDX-License-Identifier: MIT
import Dispatch
import OpenCombine
import OpenCombineDispatch
import ReactiveSignals
import SchedulerDispatch

/// A hop from the main thread to a loop that owns its thread, and to a queue.
@inline(never)
func hop() throws -> Row {
    let loop = try DispatchLoop(name: "hops")
    let (subject, total, arrived) = (Subject<Int, Never>(), Total(), DispatchSemaphore(value: 0))
    subject.signal.observe(on: loop).subscribe { value in
        total.sum &+= value
        if value == events - 1 { arrived.signal() }
    }
    let (passthrough, theirTotal) = (PassthroughSubject<Int, Never>(), Total())
    let sink = passthrough.receive(on: DispatchQueue(label: "hops")).sink { value in
        theirTotal.sum &+= value
        if value == events - 1 { arrived.signal() }
    }
    return Row(
        name: "subject: observe(on:), receive(on:)",
        events: events,
        limit: .ratio(0.25),
        sides: [
            .ours {
                for value in 0..<events { subject.send(value) }
                arrived.wait()
                return total.take()
            },
            .openCombine {
                for value in 0..<events { passthrough.send(value) }
                arrived.wait()
                withExtendedLifetime(sink) {}
                return theirTotal.take()
            },
        ]
    )
}
