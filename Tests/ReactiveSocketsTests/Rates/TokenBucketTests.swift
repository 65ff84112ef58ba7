// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets
import ReactiveSupport
import SchedulerConformance
import Testing

@Suite struct TokenBucketTests {
    /// A model that counts tokens in nanoseconds of time.
    private struct Model {
        let (period, burst): (Int64, Int)
        var credit: Int64
        var last: Int64?

        init(period: Int64, burst: Int) {
            (self.period, self.burst) = (period, burst)
            credit = period * Int64(burst)
        }

        mutating func take(_ count: Int, _ now: Int64) -> Bool {
            credit = min(period * Int64(burst), credit + (now - (last ?? now)))
            last = now
            guard credit >= period * Int64(count) else { return false }
            credit -= period * Int64(count)
            return true
        }
    }

    @Test("It decides as a model that counts tokens", arguments: 0..<50)
    func model(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let period = Int64.random(in: 1...1_000_000, using: &random)
        let burst = Int.random(in: 1...20, using: &random)
        var bucket = TokenBucket(TokenRate(1, per: .nanoseconds(period), burst: burst))
        var model = Model(period: period, burst: burst)
        var now: Int64 = 0
        for _ in 0..<3000 {
            now += Int64.random(in: 0...2 * period, using: &random)
            if Int.random(in: 0..<50, using: &random) == 0 { now += period * Int64.random(in: 0...30, using: &random) }
            let count = Int.random(in: 1...max(2, burst / 3), using: &random)
            let instant = LoopInstant(nanoseconds: now)
            let wait = bucket.wait(for: count, at: instant)
            let isTaken = bucket.take(count, at: instant)
            #expect(isTaken == model.take(count, now))
            if isTaken {
                #expect(wait == .zero)
            } else if let wait {
                // The tokens are there exactly after the wait.
                var (early, late) = (bucket, bucket)
                #expect(early.take(count, at: instant + (wait - .nanoseconds(1))) == false)
                #expect(late.take(count, at: instant + wait) == true)
            } else {
                #expect(count > burst)
            }
        }
    }

    @Test("A clock that goes back gives no tokens, and costs at most the time of a burst")
    func clockGoesBack() {
        var bucket = TokenBucket(TokenRate(10, per: .seconds(1)))
        let late = LoopInstant(nanoseconds: 1_000_000_000_000)
        for _ in 0..<10 { #expect(bucket.take(at: late) == true) }
        let early = LoopInstant(nanoseconds: 0)
        #expect(bucket.take(at: early) == false)
        #expect(bucket.wait(at: early) == .milliseconds(100))
        #expect(bucket.take(at: early + .milliseconds(100)) == true)
        #expect(bucket.take(at: early + .milliseconds(100)) == false)
    }

    @Test("Zero, negative and huge values")
    func extremes() {
        var bucket = TokenBucket(TokenRate(0, per: .seconds(-1), burst: -5))
        #expect(bucket.rate == TokenRate(1, per: .nanoseconds(1), burst: 1))
        #expect(bucket.take(0, at: .distantPast) == true)
        #expect(bucket.take(-3, at: .distantPast) == true)
        #expect(bucket.take(2, at: .distantFuture) == false)
        #expect(bucket.wait(for: 2, at: .distantFuture) == nil)
        bucket = TokenBucket(TokenRate(1, per: .nanoseconds(Int64.max), burst: .max))
        #expect(bucket.take(.max, at: .distantPast) == true)
        #expect(bucket.take(.max, at: .distantPast) == false)
        #expect(bucket.take(1, at: .distantFuture) == true)
        var random = SplitMix64(seed: 1)
        for _ in 0..<10_000 {
            let counts = [-1, 0, 1, 2, Int.max]
            let now = LoopInstant(nanoseconds: .random(in: .min ... .max, using: &random))
            let count = counts.randomElement(using: &random) ?? 1
            let wait = bucket.wait(for: count, at: now)
            #expect((wait == .zero) == bucket.take(count, at: now))
            #expect(wait.map { $0 >= .zero } ?? true)
        }
    }
}

@Suite struct TokenBucketsTests {
    private let rate = TokenRate(10, per: .seconds(1), burst: 5)
    private func instant(_ milliseconds: Int) -> LoopInstant {
        LoopInstant(nanoseconds: Int64(milliseconds) * 1_000_000)
    }

    @Test("While no key is evicted, each one has its own bucket", arguments: 0..<20)
    func exact(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var table = TokenBuckets<Int>(rate, capacity: 8)
        var model: [Int: TokenBucket] = [:]
        var now = 0
        for _ in 0..<5000 {
            now += Int.random(in: 0...30, using: &random)
            let key = Int.random(in: 0..<8, using: &random)
            let expected = model[key, default: TokenBucket(rate)].take(at: instant(now))
            #expect(table.take(for: key, at: instant(now)) == expected)
        }
    }

    @Test("Many keys do not restore the tokens of one of them", arguments: 0..<20)
    func eviction(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var table = TokenBuckets<Int>(rate, capacity: 8)
        var own = TokenBucket(rate)
        var now = 0
        for step in 0..<5000 {
            now += Int.random(in: 0...20, using: &random)
            // The attacker uses many other keys, to evict his own.
            for other in 0..<Int.random(in: 0...20, using: &random) {
                _ = table.take(for: 1000 * step + other + 1, at: instant(now))
            }
            let isTaken = table.take(for: 0, at: instant(now))
            // With its own bucket, the key would have at least as many tokens.
            if isTaken { #expect(own.take(at: instant(now)) == true) }
        }
    }

    @Test("The total of a table is bounded, whatever the number of keys")
    func total() {
        var table = TokenBuckets<Int>(rate, capacity: 64)
        var taken = 0
        for key in 0..<100_000 where table.take(for: key, at: instant(0)) { taken += 1 }
        #expect(taken == 64 * 5)
        #expect(table.capacity == 64)
    }

    @Test("A capacity is a multiple of eight")
    func capacity() {
        #expect([-1, 8, 9, .max].map { TokenBuckets<Int>(rate, capacity: $0).capacity } == [8, 8, 16, 1 << 24])
    }

    @Test("A prefix ignores ports and the rest of the address, and an IPv4 address in IPv6 is the IPv4 address")
    func prefixes() throws {
        func prefix(_ host: String, _ port: Int = 1, ipv4Bits: Int = 32, ipv6Bits: Int = 64) throws -> AddressPrefix? {
            AddressPrefix(try SocketAddress(host: host, port: port), ipv4Bits: ipv4Bits, ipv6Bits: ipv6Bits)
        }
        #expect(try prefix("192.0.2.1") == prefix("192.0.2.1", 2))
        #expect(try prefix("192.0.2.1") != prefix("192.0.2.2"))
        #expect(try prefix("192.0.2.1", ipv4Bits: 24) == prefix("192.0.2.2", ipv4Bits: 24))
        #expect(try prefix("192.0.2.1", ipv4Bits: 24) != prefix("192.0.3.1", ipv4Bits: 24))
        #expect(try prefix("::ffff:192.0.2.1") == prefix("192.0.2.1"))
        #expect(try prefix("2001:db8::1") == prefix("2001:db8::ffff:1"))
        #expect(try prefix("2001:db8::1") != prefix("2001:db8:0:1::1"))
        #expect(try prefix("2001:db8::1", ipv6Bits: 128) != prefix("2001:db8::2", ipv6Bits: 128))
        #expect(try prefix("2001:db8::1", ipv6Bits: 127) == prefix("2001:db8::", ipv6Bits: 127))
        #expect(try prefix("1.2.3.4", ipv4Bits: -1) == prefix("9.9.9.9", ipv4Bits: 0))
        #expect(try prefix("::", ipv6Bits: 0) != prefix("0.0.0.0", ipv4Bits: 0))
        #expect(AddressPrefix(try .unix(path: "/a")) == nil)
    }
}
