// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting

extension OperatorCase {
    static let transforming = [
        OperatorCase("map(_:)") { signal, _ in signal.map { $0 + 1 }.map { $0 - 1 } },
        OperatorCase("compactMap(_:)") { signal, _ in signal.compactMap(Optional.init) },
        OperatorCase("skipNil()") { signal, _ in signal.map(Optional.some).skipNil() },
        OperatorCase("scan(_:_:)") { signal, _ in signal.scan(0) { _, value in value } },
        OperatorCase("scan(into:_:)") { signal, _ in signal.scan(into: 0) { $0 = $1 } },
        OperatorCase("scanMap(into:_:)") { signal, _ in signal.scanMap(into: 0) { $1 } },
        OperatorCase("combinePrevious(_:)") { signal, _ in signal.combinePrevious(0).map(\.value) },
        OperatorCase("combinePrevious()") { signal, _ in signal.prefix(value: -1).combinePrevious().map(\.value) },
        OperatorCase("mapError(_:)") { signal, _ in signal.mapError { $0 } },
        OperatorCase("attemptMap(_:)") { signal, _ in signal.attemptMap { $0 } },
        OperatorCase("attempt(_:)") { signal, _ in signal.attempt { _ in } },
        OperatorCase("materialize()") { signal, _ in signal.materialize().dematerialize() },
        OperatorCase("dematerialize()") { signal, _ in signal.materialize().map { $0 }.dematerialize() },
        OperatorCase("reduce(_:_:)", [.sendsAtEnd, .absorbs]) { signal, _ in
            signal.reduce([]) { $0 + [$1] }.flatMap(.concat) { Signal(values: $0) }
        },
        OperatorCase("reduce(into:_:)", [.sendsAtEnd, .absorbs]) { signal, _ in
            signal.reduce(into: []) { $0.append($1) }.flatMap(.concat) { Signal(values: $0) }
        },
        OperatorCase("collect()", [.sendsAtEnd, .absorbs]) { signal, _ in
            signal.collect().flatMap(.concat) { Signal(values: $0) }
        },
        OperatorCase("collect(count:)") { signal, _ in signal.collect(count: 1).compactMap(\.first) },
        OperatorCase("collect(until:)") { signal, _ in signal.collect(until: { _ in true }).compactMap(\.first) },
    ]

    static let filtering = [
        OperatorCase("filter(_:)") { signal, _ in signal.filter { _ in true } },
        OperatorCase("skipRepeats()") { signal, _ in signal.skipRepeats() },
        OperatorCase("skipRepeats(by:)") { signal, _ in signal.skipRepeats(by: { _, _ in false }) },
        OperatorCase("take(_:)") { signal, _ in signal.take(.max) },
        OperatorCase("take(last:)", [.sendsAtEnd, .absorbs]) { signal, _ in signal.take(last: .max) },
        OperatorCase("take(while:includingLast:)") { signal, _ in signal.take(while: { _ in true }) },
        OperatorCase("take(until:)") { signal, _ in signal.take(until: Signal<Int, Never>.never) },
        OperatorCase("take(until:) with a failure") { signal, _ in
            signal.take(until: Signal<Int, TestError>.never)
        },
        OperatorCase("take(during:)", [.keepsSource]) { signal, _ in
            Signal { emitter, subscription in
                let lifetime = Lifetime()
                subscription.onDispose { lifetime.end() }
                signal.take(during: lifetime).subscribe(emitter, in: subscription)
            }
        },
        OperatorCase("skip(_:)") { signal, _ in signal.prefix(value: -1).skip(1) },
        OperatorCase("skip(while:)") { signal, _ in signal.skip(while: { _ in false }) },
        OperatorCase("skip(until:)") { signal, _ in signal.skip(until: Signal<Int, Never>.just(1)) },
        OperatorCase("skip(until:) with a failure") { signal, _ in signal.skip(until: Signal<Int, TestError>.empty) },
        OperatorCase("ignoreValues(_:)", [.startsLate]) { signal, _ in
            let shared = signal.share()
            return shared.ignoreValues(Int.self).merge(with: shared)
        },
    ]

    static let combining = [
        OperatorCase("combineLatest(_:)") { signal, _ in
            Signal.combineLatest(Signal<Int, TestError>.just(0), signal).map { $1 }
        },
        OperatorCase("combineLatest(_:) collection") { signal, _ in
            Signal.combineLatest([Signal<Int, TestError>.just(0), signal]).map { $0[1] }
        },
        OperatorCase("combineLatest(with:)") { signal, _ in
            Signal<Int, TestError>.just(0).combineLatest(with: signal).map { $1 }
        },
        OperatorCase("zip(_:)", [.keepsSource]) { signal, _ in
            Signal.zip(Signal<Int, TestError>(values: Naturals()), signal).map { $1 }
        },
        OperatorCase("zip(_:) collection", [.keepsSource]) { signal, _ in
            Signal.zip([Signal<Int, TestError>(values: Naturals()), signal]).map { $0[1] }
        },
        OperatorCase("zip(with:)", [.keepsSource]) { signal, _ in
            Signal<Int, TestError>(values: Naturals()).zip(with: signal).map { $1 }
        },
        OperatorCase("withLatest(from:)") { signal, _ in signal.withLatest(from: .just(0)).map { $0.0 } },
        OperatorCase("sample(on:)", [.startsLate, .drops]) { signal, _ in
            let shared = signal.share()
            return shared.sample(on: shared.flatMapError { _ in .empty })
        },
        OperatorCase("sample(with:)", [.startsLate, .drops]) { signal, _ in
            let shared = signal.share()
            return shared.sample(with: shared.flatMapError { _ in .empty }).map { $0.1 }
        },
        OperatorCase("race(_:)") { signal, _ in .race(signal, .never) },
        OperatorCase("take(untilReplacement:)", [.startsLate]) { signal, _ in
            let shared = signal.share()
            return shared.take(untilReplacement: shared.ignoreValues())
        },
        OperatorCase("merge(_:)") { signal, _ in .merge(.empty, signal) },
        OperatorCase("merge(with:)") { signal, _ in signal.merge(with: .empty) },
        OperatorCase("merge(with:) Never") { signal, _ in signal.merge(with: Signal<Int, Never>.empty) },
        OperatorCase("merge(with:) of Never") { signal, _ in Signal<Int, Never>.empty.merge(with: signal) },
        OperatorCase("concat(_:)") { signal, _ in signal.concat(.empty) },
        OperatorCase("concat(_:) static") { signal, _ in .concat(.empty, signal, .empty) },
        OperatorCase("concat(value:)") { signal, _ in Signal.empty.concat(value: -1).concat(signal).skip(1) },
        OperatorCase("prefix(_:)") { signal, _ in signal.prefix(.empty) },
        OperatorCase("prefix(value:)") { signal, _ in signal.prefix(value: -1).filter { $0 >= 0 } },
        OperatorCase("then(_:)") { signal, _ in Signal<Int, TestError>(values: [1, 2, 3]).then(signal) },
    ]

    static let flattening = [
        OperatorCase("flatMap(_:_:) .merge") { signal, _ in signal.flatMap { .just($0) } },
        OperatorCase("flatMap(_:_:) .concat") { signal, _ in signal.flatMap(.concat) { .just($0) } },
        OperatorCase("flatMap(_:_:) .concurrent(3)") { signal, _ in
            signal.flatMap(.concurrent(limit: 3)) { .just($0) }
        },
        // flatMap does not subscribe to signals of one value, but it does to signals of sequences.
        OperatorCase("flatMap(_:_:) .merge of sequences") { signal, _ in
            signal.flatMap { Signal(values: CollectionOfOne($0)) }
        },
        OperatorCase("flatMap(_:_:) .concat of sequences") { signal, _ in
            signal.flatMap(.concat) { Signal(values: CollectionOfOne($0)) }
        },
        OperatorCase("flatMap(_:_:) .concurrent(3) of sequences") { signal, _ in
            signal.flatMap(.concurrent(limit: 3)) { Signal(values: CollectionOfOne($0)) }
        },
        OperatorCase("flatMap(_:_:) .latest", [.drops]) { signal, _ in signal.flatMap(.latest) { .just($0) } },
        OperatorCase("flatMap(_:_:) .first", [.drops]) { signal, _ in signal.flatMap(.first) { .just($0) } },
        OperatorCase("flatMap(_:_:) .race") { signal, _ in
            Signal<Int, TestError>.just(0).flatMap(.race) { _ in signal }
        },
        OperatorCase("flatten(_:)") { signal, _ in signal.map { .just($0) }.flatten(.concat) },
        OperatorCase("group(by:whilePaused:)") { signal, _ in
            signal.group(by: { _ in 0 }).flatMap { $0.signal }
        },
        OperatorCase("window(count:whilePaused:)") { signal, _ in
            signal.window(count: 2).flatMap { $0 }
        },
        OperatorCase("window(every:count:on:whilePaused:)") { signal, time in
            signal.window(every: .milliseconds(1), on: time).flatMap { $0 }
        },
        OperatorCase("window(boundary:whilePaused:)") { signal, _ in
            signal.window(boundary: Signal<Int, TestError>.never).flatMap { $0 }
        },
        OperatorCase("flatMap(_:_:) .merge of Never") { signal, _ in
            signal.flatMap { Signal<Int, Never>.just($0) }
        },
        OperatorCase("flatMap(_:_:) .concat of sequences of Never") { signal, _ in
            signal.flatMap(.concat) { Signal<Int, Never>(values: CollectionOfOne($0)) }
        },
    ]

    static let recovering = [
        OperatorCase("flatMapError(_:)") { signal, _ in signal.flatMapError { .fail($0) } },
        OperatorCase("retry(upTo:)", [.keepsSource]) { signal, _ in signal.retry(upTo: 0) },
        OperatorCase("retry(upTo:after:on:)", [.keepsSource]) { signal, time in
            signal.retry(upTo: 0, after: .milliseconds(1), on: time)
        },
        OperatorCase("retry(upTo:backoff:on:)", [.keepsSource]) { signal, time in
            signal.retry(upTo: 0, backoff: Backoff(first: .milliseconds(1)), on: time)
        },
        OperatorCase("repeat(times:)", [.keepsSource]) { signal, _ in signal.repeat(times: 1) },
    ]

    static let timing = [
        OperatorCase("delay(_:on:limit:)", [.deliversLater]) { signal, time in
            signal.delay(.milliseconds(1), on: time)
        },
        OperatorCase("debounce(_:on:discardWhenCompleted:)", [.deliversLater, .conflates, .absorbs]) { signal, time in
            signal.debounce(.milliseconds(1), on: time)
        },
        OperatorCase("throttle(_:on:latest:discardWhenCompleted:)", [.deliversLater, .conflates, .absorbs]) {
            signal,
            time in
            signal.throttle(.milliseconds(1), on: time)
        },
        OperatorCase("throttle(_:on:latest:discardWhenCompleted:) first") { signal, time in
            signal.throttle(.zero, on: time, latest: false)
        },
        OperatorCase("rateLimit(_:per:on:limit:)", [.deliversLater]) { signal, time in
            signal.rateLimit(1, per: .milliseconds(1), on: time)
        },
        OperatorCase("timeout(after:raising:on:)", [.keepsTimer]) { signal, time in
            signal.timeout(after: .seconds(100_000), raising: .other, on: time)
        },
        OperatorCase("timeout(idle:raising:on:)", [.keepsTimer]) { signal, time in
            signal.timeout(idle: .seconds(100_000), raising: .other, on: time)
        },
        OperatorCase("collect(every:count:on:)", [.deliversLater, .absorbs]) { signal, time in
            signal.collect(every: .milliseconds(1), on: time).flatMap(.concat) { Signal(values: $0) }
        },
    ]

    static let sharing = [
        OperatorCase("handleEvents(onSubscribe:onValue:onTermination:onDispose:)") { signal, _ in
            signal.handleEvents(onValue: { _ in })
        },
        OperatorCase("logEvents(_:file:line:to:)") { signal, _ in signal.logEvents(to: { _ in }) },
        OperatorCase("named(_:file:line:)") { signal, _ in signal.named("case") },
        OperatorCase("propagating(_:)") { signal, _ in signal.propagating(Ambient.$name) },
        OperatorCase("share(whilePaused:)") { signal, _ in signal.share() },
        OperatorCase("share(whilePaused:) policy") { signal, _ in signal.share(whilePaused: .unbounded) },
        OperatorCase("share(replay:scope:whilePaused:)") { signal, _ in signal.share(replay: 1) },
        OperatorCase("share(replay:scope:whilePaused:) policy") { signal, _ in
            signal.share(replay: 2, whilePaused: .unbounded)
        },
        OperatorCase("share(replay:scope:whilePaused:) .forever", [.absorbs]) { signal, _ in
            signal.share(replay: 1, scope: .forever)
        },
        OperatorCase("replayLazily(upTo:whilePaused:)", [.absorbs]) { signal, _ in
            signal.replayLazily(upTo: 1)
        },
        OperatorCase("multicast(whilePaused:)", [.absorbs]) { signal, _ in
            Signal { emitter, subscription in
                let connectable = signal.multicast()
                connectable.signal.subscribe(emitter, in: subscription)
                let connection = connectable.connect()
                subscription.onDispose { connection.dispose() }
            }
        },
        OperatorCase("observe(on:limit:whenFull:)") { signal, _ in signal.observe(on: ImmediateScheduler.shared) },
        OperatorCase("observe(on:limit:whenFull:) virtual", [.deliversLater]) { signal, time in
            signal.observe(on: time)
        },
        OperatorCase("subscribe(on:)") { signal, _ in signal.subscribe(on: ImmediateScheduler.shared) },
        OperatorCase("subscribe(on:) virtual", [.deliversLater]) { signal, time in signal.subscribe(on: time) },
        OperatorCase("buffer(_:whenFull:)") { signal, _ in signal.buffer(8) },
        OperatorCase("buffer(_:whenFull:) .dropOldest", [.absorbs]) { signal, _ in
            signal.buffer(100_000, whenFull: .dropOldest)
        },
        OperatorCase("Signal(source)") { signal, _ in
            Signal(whilePaused: .unbounded) { signal.subscribe($0, in: $1) }
        },
    ]
}
