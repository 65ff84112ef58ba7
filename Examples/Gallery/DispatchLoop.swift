// SPDX-License-Identifier: MIT
import Glibc
import Loops
import ReactiveCore

/// Hides the imported `DispatchLoop` in this package's builds of the gallery. So `make gallery` runs the unchanged
/// programs on every loop: LOOP=dispatch, libuv or libevent.
enum DispatchLoop {
    static var main: any LoopScheduler {
        let name = getenv("LOOP").map { String(cString: $0) } ?? "dispatch"
        guard let choice = LoopChoice(rawValue: name) else {
            fatalError("LOOP=\(name) is not a loop: write dispatch, libuv or libevent")
        }
        do { return try choice.main() } catch { fatalError("\(error)") }
    }
}
