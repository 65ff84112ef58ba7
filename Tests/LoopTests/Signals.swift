// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerEngine
import Testing

extension Loops {
    @Suite struct Signals {
        @Test("G4: another thread may dispose a handler while the handler's loop is disposed", arguments: LoopKind.all)
        func disposedMeanwhile(_ kind: LoopKind) throws {
            for _ in 0..<100 {
                let loop = try kind.make(thread: .owned)
                let handle = Box<(any LoopHandle)?>(nil)
                try loop.sync {
                    do { handle.value = try loop.onSignal(.user1) {} } catch { Issue.record(error) }
                }
                let thread = TestThread {
                    handle.value?.dispose()
                    kill(getpid(), SIGWINCH)
                }
                loop.dispose()
                try thread.join()
            }
        }
    }
}
