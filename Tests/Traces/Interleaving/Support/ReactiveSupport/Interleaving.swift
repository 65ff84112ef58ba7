// SPDX-License-Identifier: MIT
import Glibc
import Synchronization

/// Evaluates an access of an atomic. Sometimes the thread pauses before it, after it, or both.
@usableFromInline
@discardableResult
package func interleaved<Result>(_ access: @autoclosure () -> Result) -> Result {
    Pauses.point()
    defer { Pauses.point() }
    return access()
}

/// The pauses of all threads. They derive from the number in the environment variable `INTERLEAVING_SEED`. Without it
/// there are no pauses.
///
/// A thread reads the number at its first point. The n-th thread that does so has the same pauses in every run, but
/// the operating system still schedules the threads. A number therefore makes a failure likely to happen again, not
/// certain.
private enum Pauses {
    /// The state of one thread, in thread-local memory.
    struct Stream {
        var bits: UInt64
        /// The number of points until `chance` changes.
        var left: UInt64 = 0
        /// The thread pauses at this many of 256 points, on average.
        var chance: UInt64 = 0

        init(seed: UInt64) {
            bits = seed
            for _ in 0..<4 { _ = next() }
        }

        /// The SplitMix64 generator.
        mutating func next() -> UInt64 {
            bits &+= 0x9e37_79b9_7f4a_7c15
            var mixed = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }

    private static let key: pthread_key_t = {
        var key: pthread_key_t = 0
        let code = pthread_key_create(&key) { stream in free(stream) }
        precondition(code == 0, "pthread_key_create: \(code)")
        return key
    }()

    /// The number that the last thread read, and how many threads have read it since it changed.
    private static let seed = Atomic<UInt64>(0)
    private static let threads = Atomic<UInt64>(0)

    static func point() {
        guard let memory = pthread_getspecific(key) else { return begin() }
        let stream = memory.assumingMemoryBound(to: Stream.self)
        if stream.pointee.left == 0 { changeChance(&stream.pointee) }
        stream.pointee.left -= 1
        let chance = stream.pointee.chance
        if chance == 0 { return }
        let bits = stream.pointee.next()
        if bits % 256 < chance { pause(bits >> 8) }
    }

    private static func begin() {
        var own = UInt64.max
        if let text = getenv("INTERLEAVING_SEED") { own = strtoull(text, nil, 10) }
        let memory = UnsafeMutablePointer<Stream>.allocate(capacity: 1)
        if seed.exchange(own, ordering: .relaxed) != own { threads.store(0, ordering: .relaxed) }
        let number = threads.add(1, ordering: .relaxed).newValue
        memory.initialize(to: Stream(seed: own &* 0x1_0000_0001_b3 &+ number))
        // Without a number, the thread never pauses.
        if own == .max { memory.pointee.left = .max }
        pthread_setspecific(key, memory)
    }

    /// A thread runs fast for a while and slowly for a while, because most races need two long pauses close together.
    private static func changeChance(_ stream: inout Stream) {
        let bits = stream.next()
        stream.chance =
            switch bits % 8 {
            case 0, 1: 0
            case 2, 3: 1
            case 4, 5: 8
            case 6: 40
            default: 128
            }
        stream.left = 8 << ((bits >> 8) % 8)
    }

    /// Spins from 0.1 µs to 50 µs, yields, or sleeps from 0.1 ms to 2 ms. Short pauses are as likely as long ones.
    private static func pause(_ bits: UInt64) {
        let saved = errno
        defer { errno = saved }
        let fine = bits >> 16
        switch bits % 16 {
        case 0:
            let upper: UInt64 = 100_000 << ((bits >> 6) % 5)
            var time = timespec(tv_sec: 0, tv_nsec: Int(min(100_000 + fine % upper, 2_000_000)))
            nanosleep(&time, nil)
        case 1..<4: sched_yield()
        default:
            let upper: UInt64 = 200 << ((bits >> 6) % 9)
            let end = now() + min(100 + fine % upper, 50_000)
            while now() < end {}
        }
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
