// SPDX-License-Identifier: MIT
import Foundation
import LoopTestSupport
import Testing

@Suite struct BuiltTraitsTests {
    /// CI states the expected traits in EXPECTED_TRAITS. Without this test a missing loop would only mean fewer
    /// tests.
    @Test("The build has the traits and the loops that CI expects")
    func expected() {
        guard let expected = ProcessInfo.processInfo.environment["EXPECTED_TRAITS"] else { return }
        let traits = expected.split(separator: ",").map(String.init)
        #expect(Self.built == traits)
        let loops = ["dispatch"] + traits.map { $0.lowercased() }.filter { ["libuv", "libevent"].contains($0) }
        #expect(LoopKind.allCases.map(\.rawValue) == loops)
    }

    private static var built: [String] {
        var traits: [String] = []
        #if Libuv
            traits.append("Libuv")
        #endif
        #if Libevent
            traits.append("Libevent")
        #endif
        #if NATS
            traits.append("NATS")
        #endif
        #if TLS
            traits.append("TLS")
        #endif
        #if Logging
            traits.append("Logging")
        #endif
        #if Metrics
            traits.append("Metrics")
        #endif
        #if ServiceLifecycle
            traits.append("ServiceLifecycle")
        #endif
        #if HTTP
            traits.append("HTTP")
        #endif
        #if Tracing
            traits.append("Tracing")
        #endif
        #if CAres
            traits.append("CAres")
        #endif
        return traits
    }
}
