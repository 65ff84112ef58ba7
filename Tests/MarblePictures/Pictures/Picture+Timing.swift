import ReactiveCore
import ReactiveSignals
import ReactiveTesting

extension Picture {
    static let timing = [
        Picture("delay(_:on:limit:)", ["a": "-a-b-|"], "---a-b-|") { on in on.a.delay(.seconds(2), on: on.time) },
        Picture("debounce(_:on:discardWhenCompleted:)", ["a": "-ab---c|"], "----b--(c|)") { on in
            on.a.debounce(.seconds(2), on: on.time)
        },
        Picture("throttle(_:on:discardWhenCompleted:)", ["a": "-abcde----|"], "-a--d--e--|") { on in
            on.a.throttle(.seconds(3), on: on.time)
        },
        Picture("rateLimit(_:per:on:limit:)", ["a": "-(abc)---|"], "-a-b-(c|)") { on in
            on.a.rateLimit(1, per: .seconds(2), on: on.time)
        },
        Picture("timeout(after:raising:on:)", ["a": "-a-b-c-d-|"], "-a-b-c#") { on in
            on.a.timeout(after: .seconds(6), raising: .late, on: on.time)
        },
        Picture("timeout(idle:raising:on:)", ["a": "-a-b-----c-|"], "-a-b--#") { on in
            on.a.timeout(idle: .seconds(3), raising: .late, on: on.time)
        },
    ]

    static let sharing = [
        Picture("observe(on:limit:whenFull:)", ["a": "-a-b-|"], "-a-b-|") { on in on.a.observe(on: on.time) },
        Picture("subscribe(on:)", ["a": "-a-b-|"], "-a-b-|") { on in on.a.subscribe(on: on.time) },
        Picture("buffer(_:whenFull:)", ["a": "-(abc)----|"], "-a--b--c--|") { on in
            on.a.buffer(8).flatMap(.concat) { letter in
                Signal.just(letter).concat(Signal.empty.delay(.seconds(3), on: on.time))
            }
        },
        Picture("share(whilePaused:)", ["a": "-a-b-|"], "-(aA)-(bB)-|") { on in
            let shared = on.a.share()
            return shared.merge(with: shared.map { $0.uppercased() })
        },
        Picture("replayLazily(upTo:whilePaused:)", ["a": "-a-b-|"], "-a-b-(b|)") { on in
            let replayed = on.a.replayLazily(upTo: 1)
            return replayed.concat(replayed)
        },
        Picture("multicast(whilePaused:)", ["a": "-a-b-|"], "---a-b-|") { on in
            let connectable = on.a.multicast()
            on.time.schedule(after: .seconds(2)) { connectable.connect() }
            return connectable.signal
        },
        Picture("handleEvents(onSubscribe:onValue:onTermination:onDispose:)", ["a": "-a-b-|"], "-a-b-|") { on in
            on.a.handleEvents(onValue: { _ in })
        },
        Picture("named(_:file:line:)", ["a": "-a-b-|"], "-a-b-|") { on in on.a.named("requests") },
        Picture("logEvents(_:file:line:to:)", ["a": "-a-b-|"], "-a-b-|") { on in on.a.logEvents(to: { _ in }) },
    ]
}
