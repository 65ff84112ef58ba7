// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets
import Testing

@testable import ReactiveSimulation

/// Random socket programs have the same results on the real kernel and on the simulated one.
@Suite(.serialized) struct FidelityTests {
    private static let programs: UInt64 = getenv("FIDELITY_PROGRAMS").flatMap { UInt64(String(cString: $0)) } ?? 500

    static let kinds: [(SocketType, [SocketAddress.Family])] = [
        (.stream, [.ipv4]), (.stream, [.ipv6]), (.stream, [.ipv6, .ipv4]), (.stream, [.unix]),
        (.datagram, [.ipv4]), (.datagram, [.ipv6]), (.datagram, [.ipv6, .ipv4]), (.datagram, [.unix]),
    ]

    /// The lines in which the results differ, or nil.
    ///
    /// A busy machine may deliver a packet late, and Linux sends a limited number of ICMP messages per second. So a
    /// difference counts only if it remains when the program waits after each call. Earlier programs leave thousands of
    /// ports in TIME_WAIT, which a program may meet, so the last run waits until most of them are free.
    private func difference(_ program: SocketProgram) -> String? {
        if [0, 5, 20, 100].contains(where: { difference(program, patience: $0) == nil }) { return nil }
        RealKernel.waitForFreePorts()
        return difference(program, patience: 100)
    }

    private func difference(_ program: SocketProgram, patience: Int32) -> String? {
        let simulated = program.run(on: SimulatedKernel(seed: 1))
        let real = program.run(on: RealKernel(patience: patience))
        guard let place = real.indices.first(where: { real[$0] != simulated[$0] }) else { return nil }
        return "real      \(real[place])\nsimulated \(simulated[place])"
    }

    /// Leaves out calls while the program still differs, also if it waits.
    private func shrunk(_ program: SocketProgram) -> SocketProgram {
        var best = program
        var place = best.operations.count - 1
        while place >= 0 {
            var fewer = best
            fewer.operations.remove(at: place)
            if [5, 100].allSatisfy({ difference(fewer, patience: $0) != nil }) { best = fewer }
            place = min(place, best.operations.count) - 1
        }
        return best
    }

    @Test("Random programs", arguments: kinds.indices)
    func random(index: Int) {
        let (kind, families) = Self.kinds[index]
        for seed in 1...Self.programs {
            let program = SocketProgram(kind, families, seed: seed)
            if difference(program) == nil { continue }
            let small = shrunk(program)
            if PermittedDifference.all.contains(where: { $0.covers(small) }) { continue }
            let text = difference(small, patience: 100) ?? "the difference has disappeared"
            Issue.record("seed \(seed): \(small)\n\(text)")
            return
        }
    }
}
