// SPDX-License-Identifier: MIT
/// The subscribers of a broadcast, in the order in which they subscribed. Sending to them neither retains nor copies.
///
/// Safe: the list owns one reference count for each element, and its memory from the first `append` to `deinit`. Only
/// the holder of the broadcast's claim calls the members, and the `body` of `forEach` calls none of them. A change
/// during `forEach` is queued until `forEach` has returned, so no subscriber is released while it receives.
@safe
@usableFromInline
struct SubscriberList<Value: Sendable, Failure: Error>: ~Copyable {
    @usableFromInline
    typealias Element = BroadcastSubscriber<Value, Failure>

    @usableFromInline
    var memory: UnsafeMutablePointer<Unmanaged<Element>>?
    @usableFromInline
    var capacity = 0
    @usableFromInline
    var count = 0

    @inlinable
    init() {}

    @inlinable
    deinit {
        for index in 0..<count { unsafe memory.unsafelyUnwrapped[index].release() }
        unsafe memory?.deallocate()
    }

    @inlinable
    @inline(__always)
    func forEach(_ body: (Element) -> Void) {
        guard let memory = unsafe memory else { return }
        for index in 0..<count { unsafe memory[index]._withUnsafeGuaranteedRef { body($0) } }
    }

    @inlinable
    mutating func append(_ subscriber: Element) {
        if count == capacity { grow() }
        unsafe memory.unsafelyUnwrapped.advanced(by: count).initialize(to: .passRetained(subscriber))
        count += 1
    }

    /// Removes and returns the subscriber with that number. The caller owns it.
    @inlinable
    mutating func remove(_ number: Int) -> Element? {
        guard let memory = unsafe memory, let index = index(of: number) else { return nil }
        let subscriber = unsafe memory[index].takeRetainedValue()
        count -= 1
        unsafe (memory + index).update(from: memory + index + 1, count: count - index)
        return subscriber
    }

    @inlinable
    func first(_ number: Int) -> Element? {
        guard let memory = unsafe memory, let index = index(of: number) else { return nil }
        return unsafe memory[index].takeUnretainedValue()
    }

    @inlinable
    func index(of number: Int) -> Int? {
        guard let memory = unsafe memory else { return nil }
        return (0..<count).first { unsafe memory[$0]._withUnsafeGuaranteedRef { $0.number == number } }
    }

    /// Removes and returns all subscribers.
    @inlinable
    mutating func takeAll() -> [Element] {
        guard let memory = unsafe memory else { return [] }
        let all = (0..<count).map { unsafe memory[$0].takeRetainedValue() }
        count = 0
        return all
    }

    @usableFromInline
    mutating func grow() {
        let larger = UnsafeMutablePointer<Unmanaged<Element>>.allocate(capacity: max(2, capacity * 2))
        if let memory = unsafe memory {
            unsafe larger.update(from: memory, count: count)
            unsafe memory.deallocate()
        }
        unsafe memory = larger
        capacity = max(2, capacity * 2)
    }
}
