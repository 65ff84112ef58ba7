import ReactiveCore

/// M8 and M9: who may be the first to use a main loop, and who serves it between its runs.
enum MainLoopUseRules {
    static let all = [m8, m9]

    static let m8 = Rule(
        "M8",
        "Any thread may be the first to use a main loop, also at the moment in which the main thread runs it.",
        on: .mainThread
    ) { check in
        let thread = check.thread {
            let loop = try check.mainLoop()
            loop.execute { loop.stop() }
        }
        let loop = try check.mainLoop()
        check.note("runs, until work of the other thread stops it")
        check.attempt { try loop.run() }
        thread.join()
        check.expect(try check.mainLoop() === loop, "both threads have used one loop")
    }

    static let m9 = Rule(
        "M9",
        "Whoever serves the main queue between a main loop's runs runs all work and timers that other threads gave it.",
        needs: [.mainQueueGuest],
        on: .mainThread
    ) { check in
        let loop = try check.mainLoop()
        let (given, done) = (Box(0), Box(0))
        let isOver = Box(false)
        let threads = (0..<3).map { number in
            check.thread {
                while !isOver.value {
                    given.increment()
                    if number == 0 {
                        loop.schedule(after: .microseconds(10)) { done.increment() }
                    } else {
                        loop.execute { done.increment() }
                    }
                    Machine.pause(.microseconds(1))
                }
            }
        }
        for _ in 0..<check.rounds(300) { try loop.runOnce(waiting: false) }
        isOver.value = true
        for thread in threads { thread.join() }
        // One more, after the last run.
        check.thread {
            given.increment()
            loop.execute { done.increment() }
        }.join()
        check.note("serves the main queue")
        let limit = Machine.now + check.patience
        while done.value < given.value, Machine.now < limit { MainQueueOwner.serve() }
        check.equal(done.value, given.value, "pieces of work and timers that ran, of those given")
    }
}
