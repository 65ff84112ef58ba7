// SPDX-License-Identifier: MIT
import ReactiveSignals

// The snippets of Docs/LeakHunting.md. They are not run: there is one graph in a process, and LiveGraphTests uses it.

private func findLeaks(of serveForAWhile: () throws -> Void) rethrows {
    LiveGraph.start()
    try serveForAWhile()
    print(LiveGraph.snapshot())
}
