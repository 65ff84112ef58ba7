import LoopTestSupport
import Testing

/// The exhaustion matrix: each resource, at each moment, on each loop, in a process of its own (rules E3 and E4).
@Suite(.serialized)
struct ExhaustionTests {
    static let resources = ["descriptors", "threads", "memory", "buffers"]

    @Test(
        "E3: at start, the n-th call that wants a resource is refused, for each n",
        arguments: LoopKind.all,
        resources
    )
    func start(_ kind: LoopKind, _ resource: String) throws { try run("start", resource, kind) }

    @Test(
        "E4: a server that has run out of a resource serves when there is some again",
        arguments: LoopKind.all,
        resources
    )
    func serving(_ kind: LoopKind, _ resource: String) throws { try run("serving", resource, kind) }

    private func run(_ moment: String, _ resource: String, _ kind: LoopKind) throws {
        let outcome = try ChildProgram.run("ExhaustionProgram", moment, resource, kind.rawValue)
        #expect(outcome.code == 0 && outcome.output.hasSuffix("ok\n"), "\(outcome)")
    }
}
