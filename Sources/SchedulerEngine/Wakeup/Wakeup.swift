// SPDX-License-Identifier: MIT
import ReactiveCore
import Synchronization

/// Lets any thread end the wait of a loop. Any number of posts cause one wake-up (rule X4).
///
/// The loop announces its wait. The first thread that posts clears the announcement and writes to the descriptor. Other
/// threads find no announcement and write nothing.
struct Wakeup: ~Copyable {
    let descriptor: WakeDescriptor
    private let awaited = Atomic<Bool>(false)
    /// The number of threads that may be about to write to the descriptor.
    private let writers = Atomic<Int>(0)

    /// - Throws: `systemCall` if the system has no descriptor left.
    init(on system: (any EventSystem)? = nil) throws(LoopError) { descriptor = try WakeDescriptor(system) }

    init(_ descriptor: WakeDescriptor) { self.descriptor = descriptor }

    /// Whether a wait is announced. Only the thread that holds the loop's state sets it to true.
    var isAwaited: Bool {
        get { awaited.load(ordering: .sequentiallyConsistent) }
        nonmutating set { awaited.store(newValue, ordering: .sequentiallyConsistent) }
    }

    /// Ends the announced wait, if there is one, and then calls `then` on the same thread. Any thread may call it.
    @inline(__always)
    func end(_ then: () -> Void) {
        writers.add(1, ordering: .sequentiallyConsistent)
        if awaited.exchange(false, ordering: .sequentiallyConsistent) {
            descriptor.signal()
            then()
        }
        writers.subtract(1, ordering: .sequentiallyConsistent)
    }

    /// Closes the descriptor. Call it once. It first waits for threads that may be about to write to the descriptor,
    /// because the number may be reused afterwards.
    func close() {
        isAwaited = false
        while writers.load(ordering: .sequentiallyConsistent) != 0 { ThreadIdentity.yield() }
        descriptor.close()
    }
}
