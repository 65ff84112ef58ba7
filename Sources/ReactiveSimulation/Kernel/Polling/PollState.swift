// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets

/// A registration of a descriptor in a set. Only the holder of the network's lock uses it.
final class PollRegistration {
    let set: PollState
    let object: KernelObject
    var interest: Readiness
    var token: UInt64
    /// Whether the registration is among the candidates of its set.
    var isCandidate = false

    init(_ set: PollState, _ object: KernelObject, _ interest: Readiness, _ token: UInt64) {
        self.set = set
        self.object = object
        self.interest = interest
        self.token = token
    }

    /// The part of the interest that is ready.
    @inline(__always)
    var ready: Readiness { interest.intersection(object.readiness) }

    @inline(__always)
    func markReady() {
        if isCandidate { return }
        isCandidate = true
        set.append(self)
    }
}

/// The state of a poll set. Only the holder of the network's lock uses it.
///
/// Like epoll, it keeps a list of candidates: the descriptors that were ready when they last changed. Each look at the
/// list drops those that are no longer ready. So a look costs time for ready descriptors only.
final class PollState {
    private var registrations: [PollRegistration?] = []
    private var candidates: [PollRegistration] = []
    private let onReady: @Sendable () -> Void
    /// The descriptor of the set, if it has been opened.
    var descriptor: PollObject?

    init(onReady: @escaping @Sendable () -> Void) { self.onReady = onReady }

    func register(_ object: KernelObject, _ interest: Readiness, _ token: UInt64) -> Int32 {
        let index = Self.index(object.descriptor)
        while registrations.count <= index { registrations.append(nil) }
        if registrations[index] != nil { return EEXIST }
        let registration = PollRegistration(self, object, interest, token)
        registrations[index] = registration
        object.add(registration)
        if !registration.ready.isEmpty { registration.markReady() }
        return 0
    }

    func modify(_ object: KernelObject, _ interest: Readiness, _ token: UInt64) -> Int32 {
        guard let registration = registration(object.descriptor) else { return ENOENT }
        registration.interest = interest
        registration.token = token
        if !registration.ready.isEmpty { registration.markReady() }
        return 0
    }

    func deregister(_ descriptor: Int32) -> Int32 {
        guard let registration = registration(descriptor) else { return ENOENT }
        registration.object.remove(registration)
        forget(registration)
        return 0
    }

    /// Removes a registration whose object is being closed.
    func forget(_ registration: PollRegistration) {
        registrations[Self.index(registration.object.descriptor)] = nil
        if registration.isCandidate { candidates.removeAll { $0 === registration } }
    }

    fileprivate func append(_ registration: PollRegistration) {
        candidates.append(registration)
        if candidates.count > 1 { return }
        onReady()
        descriptor?.notify()
    }

    /// Whether a registered descriptor is ready.
    func isReady() -> Bool {
        while let last = candidates.last {
            if !last.ready.isEmpty { return true }
            last.isCandidate = false
            candidates.removeLast()
        }
        return false
    }

    /// Appends at most `limit` ready descriptors to `reports`, in an order that `random` decides.
    func collect(limit: Int, into reports: inout [PollSet.Report], _ random: inout SimulationRandom) {
        var place = 0
        while place < candidates.count, place < limit {
            let rest = candidates.count - place
            if rest > 1 { candidates.swapAt(place, place + random.below(rest)) }
            let candidate = candidates[place]
            let ready = candidate.ready
            if ready.isEmpty {
                candidate.isCandidate = false
                let last = candidates.removeLast()
                if place < candidates.count { candidates[place] = last }
                continue
            }
            reports.append(PollSet.Report(token: candidate.token, readiness: ready))
            place += 1
        }
    }

    func removeAll() {
        for case let registration? in registrations { registration.object.remove(registration) }
        registrations.removeAll()
        candidates.removeAll()
    }

    private func registration(_ descriptor: Int32) -> PollRegistration? {
        let index = Self.index(descriptor)
        return registrations.indices.contains(index) ? registrations[index] : nil
    }

    private static func index(_ descriptor: Int32) -> Int { Int(descriptor) - Int(SimulatedDescriptors.first) }
}
