// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting

extension Picture {
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
        Picture("share(replay:scope:whilePaused:)", ["a": "-a-b-|"], "-(aA)-(bB)-|") { on in
            let shared = on.a.share(replay: 1)
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
        Picture("propagating(_:)", ["a": "-a-b-|"], "-a-b-|") { on in on.a.propagating(Ambient.$request) },
    ]
}

private enum Ambient {
    @TaskLocal static var request = "none"
}
