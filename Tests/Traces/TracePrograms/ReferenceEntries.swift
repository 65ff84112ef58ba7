// SPDX-License-Identifier: MIT
import ReactiveCore

/// Work submitted to the reference loop.
///
/// Why `@unchecked Sendable` is correct here and below: the threads of a program alternate by rendezvous.
final class ReferenceWork: Disposable, @unchecked Sendable {
    private var work: (() -> Void)?

    init(_ work: @escaping () -> Void) { self.work = work }

    var isDisposed: Bool { work == nil }

    func dispose() { work = nil }

    func call() {
        let work = work.take()
        work?()
    }
}

/// A timer of the reference loop.
final class ReferenceTimer: LoopHandle, @unchecked Sendable {
    private let loop: ReferenceLoop
    let repetition: Repetition?
    var keepsLoopAlive: Bool
    private let leeway: Int64
    var deadline: LoopInstant
    var number = 0
    var work: (() -> Void)?

    init(
        _ loop: ReferenceLoop,
        _ deadline: LoopInstant,
        _ repetition: Repetition?,
        _ options: TimerOptions,
        _ work: @escaping () -> Void
    ) {
        self.loop = loop
        self.deadline = deadline
        self.repetition = repetition
        self.work = work
        keepsLoopAlive = options.keepsLoopAlive
        leeway = options.leeway.saturatedNanoseconds
    }

    var isDisposed: Bool { work == nil }

    func dispose() {
        if work == nil { return }
        work = nil
        loop.forget(self)
    }

    /// The instant with the most trailing zero bits that the leeway allows.
    var effective: LoopInstant {
        let earliest = deadline.nanoseconds
        guard leeway > 0, earliest > 0, earliest < .max - leeway - 1 else { return deadline }
        for bits in stride(from: Int64(62), to: 0, by: -1) {
            let unit = Int64(1) << bits
            let whole = earliest / unit * unit
            let (rounded, overflow) = whole == earliest ? (whole, false) : whole.addingReportingOverflow(unit)
            if !overflow, rounded <= earliest + leeway { return LoopInstant(nanoseconds: rounded) }
        }
        return deadline
    }

    func isBefore(_ other: ReferenceTimer) -> Bool {
        (effective, deadline, number) < (other.effective, other.deadline, other.number)
    }
}

/// A watch of the reference loop.
final class ReferenceWatch: DescriptorWatch, @unchecked Sendable {
    private let loop: ReferenceLoop
    let descriptor: Int32
    let madeInTurn: UInt64
    var wanted: Readiness
    var ready: ((Readiness) -> Void)?
    var keepsLoopAlive = true

    init(
        _ loop: ReferenceLoop,
        _ descriptor: Int32,
        _ interest: Readiness,
        _ turn: UInt64,
        _ ready: @escaping (Readiness) -> Void
    ) {
        self.loop = loop
        self.descriptor = descriptor
        wanted = interest
        madeInTurn = turn
        self.ready = ready
    }

    var isDisposed: Bool { ready == nil }

    var interest: Readiness { wanted }

    func setInterest(_ interest: Readiness) throws(LoopError) {
        if isDisposed { return }
        try loop.requireHere()
        wanted = interest
    }

    func dispose() {
        if ready == nil { return }
        ready = nil
        loop.forget(self)
    }
}
