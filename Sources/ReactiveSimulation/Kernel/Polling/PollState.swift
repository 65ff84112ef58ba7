// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets

/// A registration of a descriptor in a set. Only the holder of the network's lock uses it.
final class PollRegistration {
    let set: PollState
    let object: KernelObject
    /// The number with which the object was registered.
    let descriptor: Int32
    var interest: Readiness
    var token: UInt64
    /// The position among the candidates of its set. nil if the registration is not one of them.
    fileprivate var index: Int?

    init(_ set: PollState, _ object: KernelObject, _ descriptor: Int32, _ interest: Readiness, _ token: UInt64) {
        self.set = set
        self.object = object
        self.descriptor = descriptor
        self.interest = interest
        self.token = token
    }

    /// The part of the interest that is ready.
    @inline(__always)
    var ready: Readiness { interest.intersection(object.readiness) }

    @inline(__always)
    func markReady() {
        if index == nil { set.append(self) }
    }
}

/// The state of a poll set. Only the holder of the network's lock uses it. It is the object of the set's descriptor, which
/// is readable while a descriptor of the set is ready (epoll(7)).
///
/// Like epoll, it keeps a list of candidates: the descriptors that were ready when they last changed. Each look at the
/// list drops those that are no longer ready. So a look costs time for ready descriptors only.
final class PollState: KernelObject {
    private var registrations: [PollRegistration?] = []
    /// Registrations whose number was closed while the object had another number. As with epoll, no call can remove them
    /// before the object is closed.
    private var unreachable: [PollRegistration] = []
    private var candidates: [PollRegistration] = []
    private let onReady: @Sendable () -> Void

    init(host: Int, onReady: @escaping @Sendable () -> Void) {
        self.onReady = onReady
        super.init(host: host)
    }

    override var readiness: Readiness { isReady() ? .read : [] }
    override var summary: String { "poll set" }

    func register(_ object: KernelObject, _ descriptor: Int32, _ interest: Readiness, _ token: UInt64) -> Int32 {
        if !object.isPollable { return EPERM }
        let index = Self.index(descriptor)
        while registrations.count <= index { registrations.append(nil) }
        if let old = registrations[index] {
            if old.object === object { return EEXIST }
            unreachable.append(old)
        }
        let registration = PollRegistration(self, object, descriptor, interest, token)
        registrations[index] = registration
        object.add(registration)
        if !registration.ready.isEmpty { registration.markReady() }
        return 0
    }

    func modify(_ object: KernelObject, _ descriptor: Int32, _ interest: Readiness, _ token: UInt64) -> Int32 {
        guard let registration = registration(object, descriptor) else { return ENOENT }
        registration.interest = interest
        registration.token = token
        if !registration.ready.isEmpty { registration.markReady() }
        return 0
    }

    func deregister(_ object: KernelObject, _ descriptor: Int32) -> Int32 {
        guard let registration = registration(object, descriptor) else { return ENOENT }
        object.remove(registration)
        forget(registration)
        return 0
    }

    /// Removes a registration whose object is being closed.
    func forget(_ registration: PollRegistration) {
        let index = Self.index(registration.descriptor)
        if registrations[index] === registration {
            registrations[index] = nil
        } else {
            unreachable.removeAll { $0 === registration }
        }
        guard let index = registration.index else { return }
        if candidates.count <= PollSet.limit { return removeCandidate(at: index) }
        // A look reports some of the candidates only, so the list must stay a queue.
        registration.index = nil
        candidates.remove(at: index)
        for later in index..<candidates.count { candidates[later].index = later }
    }

    fileprivate func append(_ registration: PollRegistration) {
        registration.index = candidates.count
        candidates.append(registration)
        if candidates.count > 1 { return }
        onReady()
        notify()
    }

    /// Whether a registered descriptor is ready.
    func isReady() -> Bool {
        while let last = candidates.last {
            if !last.ready.isEmpty { return true }
            removeCandidate(at: candidates.count - 1)
        }
        return false
    }

    /// Appends at most `limit` ready descriptors to `reports`, in an order that `random` decides.
    ///
    /// If more are ready, the next calls report the others before any descriptor again, as epoll does.
    func collect(limit: Int, into reports: inout [PollSet.Report], _ random: inout SimulationRandom) {
        if candidates.count > limit { dropUnready() }
        // In their own order, not in the random one, so that the list stays a queue.
        let reported = candidates.count > limit ? candidates.prefix(limit) : []
        defer { if !reported.isEmpty { reorder(candidates[limit...] + reported) } }
        var index = 0
        while index < candidates.count, index < limit {
            let rest = min(candidates.count, limit) - index
            if rest > 1 { swap(index, index + random.below(rest)) }
            let candidate = candidates[index]
            let ready = candidate.ready
            if ready.isEmpty {
                removeCandidate(at: index)
                continue
            }
            reports.append(PollSet.Report(token: candidate.token, readiness: ready))
            index += 1
        }
    }

    private func swap(_ index: Int, _ other: Int) {
        candidates.swapAt(index, other)
        (candidates[index].index, candidates[other].index) = (index, other)
    }

    /// Removes a candidate in constant time. The last one takes its position.
    private func removeCandidate(at index: Int) {
        candidates[index].index = nil
        let last = candidates.removeLast()
        if index == candidates.count { return }
        candidates[index] = last
        last.index = index
    }

    /// Drops the candidates that are no longer ready, and keeps the order of the others.
    private func dropUnready() {
        for candidate in candidates { candidate.index = nil }
        reorder(candidates.filter { !$0.ready.isEmpty })
    }

    private func reorder(_ new: some Sequence<PollRegistration>) {
        candidates = Array(new)
        for (index, candidate) in candidates.enumerated() { candidate.index = index }
    }

    func removeAll() {
        for registration in registrations.compactMap({ $0 }) + unreachable {
            registration.object.remove(registration)
        }
        registrations.removeAll()
        unreachable.removeAll()
        candidates.removeAll()
    }

    private func registration(_ object: KernelObject, _ descriptor: Int32) -> PollRegistration? {
        let index = Self.index(descriptor)
        guard registrations.indices.contains(index), let found = registrations[index] else { return nil }
        return found.object === object ? found : nil
    }

    private static func index(_ descriptor: Int32) -> Int { Int(descriptor) - Int(SimulatedDescriptors.first) }
}
