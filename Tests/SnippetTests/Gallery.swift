// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import SchedulerDispatch
import SchedulerLibuv

// A snippet of Docs/Gallery.md. The others are from Examples/Gallery.
#if Libuv
    private func chosenLoop() -> any LoopScheduler {
        let name = getenv("LOOP").map { String(cString: $0) } ?? "dispatch"
        let loop: any LoopScheduler = name == "libuv" ? LibuvLoop.main : DispatchLoop.main
        return loop
    }
#endif
