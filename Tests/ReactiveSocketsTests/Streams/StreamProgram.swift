// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Testing

@testable import ReactiveSockets

/// One connection and the operations of its two ends.
struct StreamProgram {
    let ends: [StreamEnd]
    private let random: Box<SplitMix64>

    init(_ loops: [any LoopScheduler], _ listener: Listener, _ seed: UInt64) throws {
        let arrived = listener.nextConnection()
        let random = Box(SplitMix64(seed: seed))
        let marks = Watermarks(high: [1, 1000, 65536].randomElement(using: &random.value) ?? 1)
        let settings = ConnectSettings(watermarks: marks)
        let made = Box<Connection?>(nil)
        Connection.connect(to: listener.localAddress, loop: loops[1], settings: settings)
            .subscribe(onValue: { made.value = $0 }, onTermination: noFailure())
        try waitUntil("a connection") { arrived.value != nil && made.value != nil }
        guard let left = arrived.value.take(), let right = made.value.take() else {
            preconditionFailure("no connection")
        }
        ends = [StreamEnd(left), StreamEnd(right)]
        self.random = random
    }

    func run(_ comment: String, _ cores: inout [Weak<ConnectionCore>]) throws {
        // A program without disturbances must deliver everything.
        let isGentle = random.value.chance(0.5)
        cores += ends.map { Weak($0.connection.core.value) }
        for end in ends {
            end.loop.execute { end.begin() }
        }
        let threads = ends.flatMap { end in
            (0..<2).map { number in
                let random = SplitMix64(seed: random.value.next())
                return TestThread { end.act(number, isGentle, random) }
            }
        }
        for thread in threads { try thread.join() }
        for end in ends { end.wrapUp(isGentle || random.value.chance(0.5)) }
        let limit = ContinuousClock.now + .seconds(Latch.limit)
        while !ends.allSatisfy({ $0.isOver }) {
            if ContinuousClock.now > limit {
                Issue.record("\(comment): not over: \(ends.map(\.report))")
                for end in ends { end.connection.abort() }
                return
            }
            Platform.pause(.microseconds(200))
        }
        for (sender, receiver) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            receiver.check(sender, isGentle, comment)
        }
    }
}

extension SplitMix64 {
    /// A number from zero up to the limit, exclusive.
    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

    mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }
}
