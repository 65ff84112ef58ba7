import LoopTestSupport
import ReactiveCore
import SchedulerEngine
import Testing

extension Loops {
    @Suite struct Pairs {
        @Test("X2: 100 000 round trips between two loops, 64 under way, in order", arguments: LoopKind.pairs)
        func windows(_ first: LoopKind, _ second: LoopKind) throws {
            try roundTrips(scaled(100_000), window: 64, first, second)
        }

        @Test("X2: 2 000 single round trips between two loops", arguments: LoopKind.pairs)
        func pingPong(_ first: LoopKind, _ second: LoopKind) throws {
            try roundTrips(2_000, window: 1, first, second)
        }

        private func roundTrips(_ count: Int, window: Int, _ first: LoopKind, _ second: LoopKind) throws {
            let near = try first.make(name: "near", thread: .owned)
            let far = try second.make(name: "far", thread: .owned)
            let trip = Trip(near, far, count)
            near.execute { for _ in 0..<window { trip.begin() } }
            try trip.done.wait("\(count) round trips")
            near.dispose()
            far.dispose()
            #expect(trip.seenFar == count && trip.seenNear == count && trip.isInOrder)
        }
    }
}

/// `begun` and `seenNear` are the near loop's, `seenFar` is the far one's.
private final class Trip: @unchecked Sendable {
    let done = Latch()
    private let near: any LoopScheduler
    private let far: any LoopScheduler
    private let count: Int
    private var begun = 0
    private(set) var seenNear = 0
    private(set) var seenFar = 0
    private(set) var isInOrder = true

    init(_ near: any LoopScheduler, _ far: any LoopScheduler, _ count: Int) {
        self.near = near
        self.far = far
        self.count = count
    }

    func begin() {
        guard begun < count else { return }
        let number = begun
        begun += 1
        far.execute { [self] in
            let isNext = seenFar == number
            seenFar += 1
            near.execute { [self] in
                isInOrder = isInOrder && isNext && seenNear == number
                seenNear += 1
                if seenNear == count { done.arrive() }
                begin()
            }
        }
    }
}
