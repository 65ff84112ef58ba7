// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets
import ReactiveTesting
import Testing

@testable import KeyValueService

/// Keys that expire, in virtual time.
@Suite struct StoreTests {
    private let clock = TestScheduler()

    @Test("A key exists until its deadline, and a timer removes it")
    func expiring() throws {
        let store = Store(on: clock)
        store.set("a", to: "1")
        #expect(store.expire("a", after: .seconds(10)))
        try clock.advance(by: .milliseconds(9999))
        #expect(store.value(of: "a") == "1" && store.expiringCount == 1)
        try clock.advance(by: .milliseconds(1))
        #expect(store.value(of: "a") == nil && store.count == 0)
        #expect(clock.isIdle)
    }

    @Test("A new value, a new deadline, persisting and removing cancel the old deadline and its timer")
    func replacing() throws {
        let store = Store(on: clock)
        for key: Bytes in ["set", "again", "stays", "gone", "changed"] {
            store.set(key, to: "1")
            #expect(store.expire(key, after: .seconds(10)))
        }
        store.set("set", to: "2")
        #expect(store.expire("again", after: .seconds(20)))
        #expect(store.persist("stays") && !store.persist("stays"))
        #expect(store.remove("gone") && !store.remove("gone"))
        store.change("changed", to: "2")
        try clock.advance(by: .seconds(10))
        #expect(store.value(of: "set") == "2" && store.value(of: "again") == "1" && store.value(of: "stays") == "1")
        #expect(store.value(of: "changed") == nil)
        #expect(store.timeLeft(of: "again") == .seconds(10))
        try clock.advance(by: .seconds(10))
        #expect(store.count == 2 && clock.isIdle)
    }

    @Test("A deadline that is not in the future removes the key at once")
    func past() {
        let store = Store(on: clock)
        store.set("a", to: "1")
        #expect(store.expire("a", after: .zero) && !store.contains("a"))
        #expect(!store.expire("a", after: .seconds(1)) && clock.isIdle)
    }

    @Test("Emptying the store leaves no timer")
    func emptying() {
        let store = Store(on: clock)
        for number in 0..<100 {
            store.set(Bytes("\(number)"), to: "x")
            #expect(store.expire(Bytes("\(number)"), after: .seconds(1)))
        }
        #expect(store.keys(Glob("1?")).count == 10)
        store.removeAll()
        #expect(store.count == 0 && clock.isIdle)
    }
}
