// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerEngine
import Testing

/// Misuses of the API. Each key is the sentence that its misuse prints.
private let misuses: [String: @Sendable () throws -> Void] = [
    "this code must run as work of loop own, but runs elsewhere": {
        try LoopKind.dispatch.make(name: "own").checkIsolated()
    },
    "this handle cannot be used here: interest on loop own failed: the loop runs on another thread": {
        let loop = try LoopKind.dispatch.make(name: "own", thread: .owned)
        let watch = Box<(any DescriptorWatch)?>(nil)
        try loop.sync { watch.value = try? loop.watch(Descriptor.sockets().near, for: .read) { _ in } }
        _ = watch.value?.interest
    },
]

@Suite struct MisuseTests {
    @Test("A misuse prints its sentence, in release builds too", arguments: misuses.keys.sorted())
    func sentence(_ sentence: String) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [sentence] in
            try misuses[sentence]!()
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains(sentence))
    }
}
