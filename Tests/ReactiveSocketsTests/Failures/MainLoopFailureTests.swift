// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSockets
import SchedulerConformance
import Testing

/// A main loop that could not be created. The limit of descriptors and the main loops belong to the process, so each
/// test has a process of its own.
@Suite struct MainLoopFailureTests {
    @Test("Sockets, children and look-ups on a main loop that could not be created fail with the reason")
    func reason() async {
        await #expect(processExitsWith: .success) {
            for kind in LoopKind.all {
                let main = kind.mainWithoutDescriptors
                try #require(main.isDisposed)
                for (what, attempt) in socketAttempts(on: main) {
                    let error = #expect(throws: SocketError.self, "\(what) on \(kind)") { try attempt() }
                    let message = error?.message ?? "no error"
                    let isReason = error?.code == .outOfDescriptors && error?.errno == EMFILE
                    #expect(isReason && message.contains("main could not be"), "\(what) on \(kind): \(message)")
                }
            }
        }
    }

    @Test("A main loop that could not be created refuses each call with the reason, from any thread")
    func loopCalls() async {
        await #expect(processExitsWith: .success) {
            for kind in LoopKind.all {
                let main = kind.mainWithoutDescriptors
                try TestThread {
                    let attempts: [() throws -> Void] = [
                        { try main.run() }, { try main.runUntilIdle() }, { try main.runOnce(waiting: true) },
                        { _ = try main.watch(0, for: .read) { _ in } }, { _ = try main.onSignal(.user1) {} },
                    ]
                    for (number, attempt) in attempts.enumerated() {
                        let error = #expect(throws: LoopError.self) { try attempt() }
                        let message = error?.message ?? "no error"
                        let isReason = error?.code == .systemCall && error?.errno == EMFILE
                        #expect(isReason, "call \(number) on \(kind): \(message)")
                    }
                }.join()
            }
        }
    }
}
