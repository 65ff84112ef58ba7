// SPDX-License-Identifier: MIT
import LoopTestSupport
import Testing

/// The exhaustion matrix: each resource, at each moment, on each loop, each in its own process (rules E3 and E4).
@Suite
struct ExhaustionTests {
    static let resources = ["descriptors", "threads", "memory", "buffers"]

    @Test(
        "E3: a start survives the refusal of the n-th resource, for each n",
        arguments: LoopKind.all,
        resources
    )
    func start(_ kind: LoopKind, _ resource: String) async throws { try await run("start", resource, kind) }

    @Test(
        "E4: a server that ran out of a resource serves again when the resource is available",
        arguments: LoopKind.all,
        resources
    )
    func serving(_ kind: LoopKind, _ resource: String) async throws { try await run("serving", resource, kind) }

    @Test("E4: a watch is called again if the kernel has refused a change of it", arguments: LoopKind.all)
    func watching(_ kind: LoopKind) async throws { try await run("watching", "memory", kind) }

    private func run(_ moment: String, _ resource: String, _ kind: LoopKind) async throws {
        #expect(try await ChildProgram.failure(of: "ExhaustionProgram", moment, resource, kind.rawValue) == nil)
    }
}
