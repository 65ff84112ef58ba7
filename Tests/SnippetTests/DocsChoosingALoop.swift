// SPDX-License-Identifier: MIT
#if Libuv && Libevent
    import ReactiveCore
    import SchedulerDispatch
    import SchedulerLibevent
    import SchedulerLibuv
    import Testing

    // The snippet of Docs/ChoosingALoop.md.

    private struct UnknownLoop: Error, Equatable {
        let name: String
    }

    /// Returns the main thread's loop that a setting names.
    private func mainLoop(named name: String) throws(UnknownLoop) -> any LoopScheduler {
        switch name {
        case "dispatch": return DispatchLoop.main
        case "libuv": return LibuvLoop.main
        case "libevent": return LibeventLoop.main
        default: throw UnknownLoop(name: name)
        }
    }

    @Suite struct ChoosingALoopSnippets {
        @Test(arguments: ["dispatch", "libuv", "libevent"])
        func eachNameHasALoop(_ name: String) throws {
            #expect(try mainLoop(named: name).name == "main")
        }

        @Test func anotherNameIsRefused() {
            #expect(throws: UnknownLoop(name: "kqueue")) { try mainLoop(named: "kqueue") }
        }
    }
#endif
