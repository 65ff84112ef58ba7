// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets
import ReactiveSupport
import Synchronization

/// The network and the kernels of all hosts of a simulation. Any thread may call every member.
///
/// Time passes only in ``advance(to:)``. One generator decides everything that is random, so the same seed and the same
/// calls have the same results.
final class SimulatedNetwork: Sendable {
    /// The first instant.
    static let origin = LoopInstant(nanoseconds: 1_000_000_000)
    /// The last instant, about 73 years later. Sums of times do not overflow before it.
    static let end = LoopInstant(nanoseconds: Int64.max / 4)

    /// A box, because the lock passes its value to non-inout closures.
    private final class Cell {
        var kernel: Kernel

        init(_ kernel: Kernel) { self.kernel = kernel }
    }

    // Safe: only the holder of the lock uses the cell.
    private let lock: Lock<UnsafeTransfer<Cell>>
    /// A copy of the kernel's clock, because loops read it often.
    private let clock = Atomic<Int64>(origin.nanoseconds)

    init(seed: UInt64) {
        lock = Lock(UnsafeTransfer(Cell(Kernel(seed: seed, now: Self.origin.nanoseconds))))
    }

    deinit { withKernel { kernel in kernel.tearDown() } }

    /// Calls `body` with the state, under the lock. `body` must not call the network, a host or user code.
    @inline(__always)
    func withKernel<Result: Sendable>(_ body: (inout Kernel) -> Result) -> Result {
        lock.withLockAtOnce { cell in body(&cell.value.kernel) }
    }

    /// The present instant of the world.
    var now: LoopInstant { LoopInstant(nanoseconds: clock.load(ordering: .acquiring)) }

    /// When the next event happens: the arrival of a packet, a timer of a protocol, or a closure. nil if there is none.
    var nextEvent: LoopInstant? {
        withKernel { kernel in kernel.timeline.nextTime().map { LoopInstant(nanoseconds: $0) } }
    }

    /// Moves the clock to an instant, and performs every event that is due until then, in order.
    ///
    /// Events of the same instant happen in the order in which they were added. If `limit` is in the past, only events
    /// that are due now are performed.
    func advance(to limit: LoopInstant) {
        while let body = performEvents(until: limit.nanoseconds) { body.run() }
    }

    /// Performs events until one has a closure, which the caller calls without the lock.
    private func performEvents(until limit: Int64) -> ScheduledWork? {
        withKernel { kernel in
            while let (time, event) = kernel.timeline.take(until: max(limit, kernel.now)) {
                kernel.now = max(kernel.now, time)
                kernel.trace.mix(UInt64(bitPattern: kernel.now))
                if let body = kernel.perform(event) {
                    clock.store(kernel.now, ordering: .releasing)
                    return body
                }
            }
            kernel.now = max(kernel.now, limit)
            clock.store(kernel.now, ordering: .releasing)
            return nil
        }
    }

    /// Calls `body` at an instant, or in the next ``advance(to:)`` if the instant has passed.
    ///
    /// `body` runs inside ``advance(to:)``, without a lock, while ``now`` is the instant. Disposing the result cancels it.
    @discardableResult
    func schedule(at instant: LoopInstant, _ body: @escaping @Sendable () -> Void) -> any Disposable {
        let scheduled = ScheduledWork(body)
        withKernel { kernel in
            _ = kernel.timeline.add(.body(scheduled), at: max(kernel.now, instant.nanoseconds))
        }
        return scheduled
    }

    /// Adds a host. It gets the addresses 10.0.0.N and fd00::N, where N counts the hosts from 1, and its own loopback
    /// addresses. Its name resolves to its addresses.
    ///
    /// - Parameters:
    ///   - name: The host's name.
    ///   - descriptorLimit: The number of descriptors that may be open at the same time.
    ///   - drift: How much faster than the world's clock the host's clock runs, in parts per million.
    func addHost(named name: String, descriptorLimit: Int = 65_536, drift: Int64 = 0) -> HostKernel {
        let index = withKernel { kernel in kernel.addHost(name, descriptorLimit: descriptorLimit) }
        return HostKernel(self, index: index, drift: drift)
    }

    /// A hash of everything that has happened: every call, result and delivery.
    var fingerprint: UInt64 { withKernel { kernel in kernel.trace.hash } }

    /// The number of system calls and deliveries so far.
    var callCount: Int { withKernel { kernel in kernel.trace.noteCount } }

    /// Records the events from now on. Without this call, nothing is recorded.
    ///
    /// - Parameters:
    ///   - extent: Which events are kept.
    ///   - faultsEnd: When the faults of the network end. nil if they do not end.
    func record(_ extent: SequenceDiagram.Extent, faultsEnd: LoopInstant?) {
        withKernel { kernel in kernel.trace.recording = EventRecording(extent, faultsEnd: faultsEnd) }
    }

    /// The recorded events, oldest first.
    var recordedEvents: [EventRecording.Part] { withKernel { kernel in kernel.trace.recording?.parts ?? [] } }

    /// Records a fault that begins on a host, or that ends there if `isEnd`.
    func recordFault(_ text: @autoclosure () -> String, on host: Int, isEnd: Bool = false) {
        // Without a recording, the text is not created. It calls no user code.
        withKernel { kernel in kernel.record(.fault, host, isFault: !isEnd, text()) }
    }

    /// Probabilities of kernel behaviour that programs cannot predict, such as partial reads.
    var tuning: KernelTuning {
        get { withKernel { kernel in kernel.tuning } }
        set { withKernel { kernel in kernel.tuning = newValue } }
    }

    // MARK: Conditions

    // A change affects the packets that are sent after it, except where noted.

    /// The conditions of every link between two hosts that has none of its own.
    var conditions: LinkConditions {
        get { withKernel { kernel in kernel.links.standard } }
        set { withKernel { kernel in kernel.links.standard = newValue } }
    }

    /// Sets the conditions of one direction. nil restores the network's conditions. The link of a host to itself is the
    /// loopback interface.
    func setConditions(_ conditions: LinkConditions?, from source: HostKernel, to target: HostKernel) {
        withKernel { kernel in kernel.links.setConditions(conditions, Links.Direction(source.index, target.index)) }
    }

    /// Blocks or unblocks one direction: every packet that is sent is lost. TCP sends again, so a connection survives a
    /// partition that is shorter than its time limits.
    func setBlocked(_ isBlocked: Bool, from source: HostKernel, to target: HostKernel) {
        withKernel { kernel in kernel.links[Links.Direction(source.index, target.index)].isBlocked = isBlocked }
    }

    /// Holds or releases one direction: no packet arrives while it is held, including those that are travelling.
    func setHeld(_ isHeld: Bool, from source: HostKernel, to target: HostKernel) {
        withKernel { kernel in kernel.setHeld(Links.Direction(source.index, target.index), isHeld) }
    }

    /// Sets the addresses of a host name. nil makes it unknown.
    func setName(_ name: String, _ addresses: [SocketAddress]?) {
        withKernel { kernel in kernel.names[name] = addresses }
    }
}
