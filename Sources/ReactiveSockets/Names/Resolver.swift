// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

/// Resolves host names to addresses without blocking a loop.
///
/// The system's look-up blocks (getaddrinfo(3)), so it runs on a pool of threads. Look-ups of all loops use the same
/// configuration: `/etc/hosts`, DNS and `nsswitch.conf` (rule N19). `AresResolver` of the module ReactiveCAres is a
/// resolver that needs no threads. Any thread may use every member.
public struct Resolver: Sendable {
    /// A function that looks up `host` and returns its addresses with `port`, best first.
    ///
    /// It may block, and several threads may call it at the same time. It throws `unknownHost` if it finds no address.
    /// `host` is never empty or a numeric address.
    public typealias LookUp = @Sendable (_ host: String, _ port: UInt16) throws(SocketError) -> [SocketAddress]

    /// A function that returns a signal of the addresses of `host` with `port`, best first, for a subscriber on `loop`.
    ///
    /// Neither the function nor a subscription may block. The signal may send on any thread. Its first value counts. It
    /// fails with `unknownHost` if it finds no address, and its disposal cancels the look-up. `host` is never empty or
    /// a numeric address.
    public typealias NonblockingLookUp =
        @Sendable (_ host: String, _ port: UInt16, _ loop: any LoopScheduler) -> Signal<[SocketAddress], SocketError>

    /// The resolver that uses the system's look-up. All its look-ups in a process share at most eight threads. A forked
    /// child has its own threads.
    public static var system: Resolver {
        let key = Publications.Key(perProcess: Resolver.self)
        if let known = systemPools.object(key) as? WorkerPool { return Resolver(pool: known) }
        let made = WorkerPool(name: "names", maximumThreads: 8)
        return Resolver(pool: systemPools.publish(made, key) as? WorkerPool ?? made)
    }

    private static let systemPools = Publications()

    private let source: Source

    private enum Source {
        /// `nil` is the system's look-up.
        case blocking(WorkerPool, LookUp?)
        case nonblocking(NonblockingLookUp)
    }

    /// Creates a resolver that uses the system's look-up on the threads of `pool`. The pool's size limits concurrent
    /// look-ups.
    public init(pool: WorkerPool) {
        source = .blocking(pool, nil)
    }

    /// Creates a resolver that calls `lookUp` on the threads of `pool`, for example in a test or to add a cache.
    public init(pool: WorkerPool, lookUp: @escaping LookUp) {
        source = .blocking(pool, lookUp)
    }

    /// Creates a resolver that subscribes to the signals of `lookUp`, and uses no threads.
    public init(lookUp: @escaping NonblockingLookUp) {
        source = .nonblocking(lookUp)
    }

    /// Looks up the addresses of `host`, and sends them with `port` as one array on `loop`.
    ///
    /// The addresses have no duplicates. The system sorts them by preference (RFC 6724). Each subscription starts a new
    /// look-up. `runUntilIdle()` of the loop waits for it. A numeric address needs no look-up.
    ///
    /// Disposing the subscription cancels a look-up that has not started. A running look-up of a pool cannot be
    /// interrupted. It occupies its thread until it returns, and its result is dropped.
    ///
    /// - Parameters:
    ///   - host: A host name, or a numeric address with or without brackets.
    ///   - port: The port of all addresses.
    ///   - loop: The loop that delivers the addresses.
    ///   - timeout: The time limit, which includes waiting for a thread. It does not apply to a numeric address.
    /// - Returns: A signal that sends one array and completes. It fails with:
    ///   - `unknownHost` if the name cannot be resolved, is empty or contains a zero byte. The message contains the
    ///     name.
    ///   - `timedOut` after `timeout`.
    ///   - `invalidAddress` if `port` is outside 0...65535.
    ///   - `loop` if the loop has been disposed.
    ///   - `outOfDescriptors` if no descriptor is free for the look-up.
    ///   - `systemCall` if the look-up fails in the system, or if no thread can be created.
    public func addresses(
        of host: String,
        port: Int,
        loop: any LoopScheduler,
        timeout: Duration = .seconds(30)
    ) -> Signal<[SocketAddress], SocketError> {
        Signal { emitter, subscription in
            if let error = loop.refusal(as: SocketError.self) { return emitter.fail(error) }
            let answer: @Sendable (Result<[SocketAddress], SocketError>) -> Void = { emitter.receive($0) }
            if let known = Self.known(host, port) { return loop.runOrExecute { answer(known) } }
            // The timer also makes `runUntilIdle` wait for the look-up.
            let timer = loop.schedule(after: timeout) {
                answer(.failure(SocketError(.timedOut, "cannot resolve host \"\(host)\" within \(timeout)")))
            }
            let unstarted = start(host, UInt16(port), loop, answer)
            subscription.onDispose {
                timer.dispose()
                unstarted.dispose()
            }
            // A loop that has been disposed since the check drops the timer and the answer.
            if let error = loop.refusal(as: SocketError.self) { emitter.fail(error) }
        }
    }

    /// Starts a look-up, and calls `answer` on `loop`. Disposing the result cancels it if it has not started.
    private func start(
        _ host: String,
        _ port: UInt16,
        _ loop: any LoopScheduler,
        _ answer: @escaping @Sendable (Result<[SocketAddress], SocketError>) -> Void
    ) -> any Disposable {
        let finish: @Sendable (Result<[SocketAddress], SocketError>) -> Void = { result in
            loop.execute { answer(result) }
        }
        switch source {
        case .blocking(let pool, nil):
            if let system = SimulatedDescriptors.system { return system.resolve(host, port: port, finish) }
            return Self.start(host, port, pool, NameLookUp.addresses, finish)
        case .blocking(let pool, let lookUp?): return Self.start(host, port, pool, lookUp, finish)
        case .nonblocking(let lookUp):
            return lookUp(host, port, loop).subscribe(
                onValue: { addresses in
                    let result = Self.checked(addresses, host)
                    loop.runOrExecute { answer(result) }
                },
                onTermination: { termination in
                    guard case .failed(let error) = termination else { return finish(Self.checked([], host)) }
                    loop.runOrExecute { answer(.failure(error)) }
                }
            )
        }
    }

    /// The answer of a look-up that has sent `addresses`.
    private static func checked(_ addresses: [SocketAddress], _ host: String) -> Result<[SocketAddress], SocketError> {
        if !addresses.isEmpty { return .success(withoutRepeats(addresses)) }
        return .failure(SocketError(.unknownHost, "cannot resolve host \"\(host)\": the look-up found no address"))
    }

    private static func start(
        _ host: String,
        _ port: UInt16,
        _ pool: WorkerPool,
        _ lookUp: @escaping LookUp,
        _ finish: @escaping @Sendable (Result<[SocketAddress], SocketError>) -> Void
    ) -> any Disposable {
        let work: @Sendable () -> Void = {
            finish(Result { () throws(SocketError) in withoutRepeats(try lookUp(host, port)) })
        }
        if SimulatedDescriptors.system != nil {
            // A simulated process uses no real threads, so the function is called here.
            work()
            return DisposedHandle.shared
        }
        switch pool.submit(work) {
        case .success(let handle): return handle
        case .failure(let stall):
            stall.handle.dispose()
            finish(.failure(.system("cannot resolve host \"\(host)\": cannot start a thread", stall.errno)))
            return stall.handle
        }
    }

    /// The result that needs no look-up: a numeric address or an error. `nil` means that a look-up is necessary.
    private static func known(_ host: String, _ port: Int) -> Result<[SocketAddress], SocketError>? {
        do throws(SocketError) {
            let number = try SocketAddress.port(port)
            if let address = try? SocketAddress(host: host, port: Int(number)) { return .success([address]) }
        } catch {
            return .failure(error)
        }
        // `getaddrinfo` would ignore everything after a zero byte.
        guard host.isEmpty || host.utf8.contains(0) else { return nil }
        let reason = "the name is empty or contains a zero byte"
        return .failure(SocketError(.unknownHost, "cannot resolve host \"\(host)\": \(reason)"))
    }

    private static func withoutRepeats(_ addresses: [SocketAddress]) -> [SocketAddress] {
        var seen: Set<SocketAddress> = []
        return addresses.filter { seen.insert($0).inserted }
    }
}
