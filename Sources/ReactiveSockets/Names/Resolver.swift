public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

/// Finds the addresses of hosts by their names, without holding up a loop.
///
/// The system's own look-up blocks, so it is done on a pool of threads; what it goes by (`/etc/hosts`, DNS, whatever
/// `nsswitch.conf` says) is the same on every loop (rule N19).
public struct Resolver: Sendable {
    /// Asks somebody for the addresses of `host`, best first, each with `port`; it may block. Where there are none it throws
    /// `unknownHost`.
    public typealias LookUp = @Sendable (_ host: String, _ port: UInt16) throws(SocketError) -> [SocketAddress]

    /// Asks the system, on at most eight threads that all of its users share. A forked child has threads of its own.
    public static var system: Resolver {
        let key = Publications.Key(perProcess: Resolver.self)
        if let known = systemPools.object(key) as? WorkerPool { return Resolver(pool: known) }
        let made = WorkerPool(name: "names", maximumThreads: 8)
        return Resolver(pool: systemPools.publish(made, key) as? WorkerPool ?? made)
    }

    private static let systemPools = Publications()

    private let pool: WorkerPool
    private let lookUp: LookUp

    /// Makes a resolver that asks the system, on the threads of `pool`.
    public init(pool: WorkerPool) {
        self.init(pool: pool) { (host, port) throws(SocketError) in
            try NameLookUp.addresses(of: host, port: port)
        }
    }

    /// Makes a resolver that asks `lookUp`, on the threads of `pool`.
    public init(pool: WorkerPool, lookUp: @escaping LookUp) {
        self.pool = pool
        self.lookUp = lookUp
    }

    /// The addresses of `host` with `port`, best first as RFC 6724 has it, none of them twice: one value, on `loop`.
    ///
    /// It asks anew for each subscription. A numeric address is its own answer, and nobody is asked. A look-up keeps the loop
    /// in `runUntilIdle`. Disposed, one that has not begun never does, and of one that has the answer is dropped: the
    /// system cannot be interrupted, and its thread is busy until it gives up.
    ///
    /// It fails with `unknownHost` and the name in its text where nobody knows it, or nobody could be asked; with
    /// `timedOut` after `timeout`, waiting for a thread included; with `invalidAddress` where `port` is outside 0...65535;
    /// with `loop` where the loop has been disposed; with `systemCall` where the system gives no thread to ask on.
    public func addresses(
        of host: String,
        port: Int,
        loop: any LoopScheduler,
        timeout: Duration = .seconds(30)
    ) -> Signal<[SocketAddress], SocketError> {
        let (pool, lookUp) = (pool, lookUp)
        return Signal { emitter, subscription in
            if let over = loop.overError { return emitter.fail(over) }
            let answer: @Sendable (Result<[SocketAddress], SocketError>) -> Void = { answer in
                switch answer {
                case .success(let addresses):
                    emitter.send(addresses)
                    emitter.complete()
                case .failure(let error): emitter.fail(error)
                }
            }
            switch Self.known(host, port) {
            case .success(let addresses?): return loop.runOrExecute { answer(.success(addresses)) }
            case .failure(let error): return loop.runOrExecute { answer(.failure(error)) }
            case .success(nil): break
            }
            // It also keeps the loop waiting for the answer.
            let timer = loop.schedule(after: timeout) {
                answer(.failure(SocketError(.timedOut, "nobody has said where \"\(host)\" is within \(timeout)")))
            }
            let submitted = pool.submit {
                let result = Result { () throws(SocketError) in Self.withoutRepeats(try lookUp(host, UInt16(port))) }
                loop.execute { answer(result) }
            }
            let unstarted: any Disposable
            switch submitted {
            case .success(let handle): unstarted = handle
            case .failure(let stall):
                unstarted = stall.handle
                unstarted.dispose()
                let error = SocketError.system("no thread to look up \"\(host)\"", stall.errno)
                loop.execute { answer(.failure(error)) }
            }
            subscription.onDispose {
                timer.dispose()
                unstarted.dispose()
            }
        }
    }

    /// What can be said without asking: the address that `host` is already, or why nobody needs to be asked; else nil.
    private static func known(_ host: String, _ port: Int) -> Result<[SocketAddress]?, SocketError> {
        do throws(SocketError) {
            let number = try SocketAddress.port(port)
            if let address = try? SocketAddress(host: host, port: Int(number)) { return .success([address]) }
            // C would see the name's beginning only.
            if host.isEmpty || host.utf8.contains(0) {
                throw SocketError(.unknownHost, "\"\(host)\" is no host's name")
            }
            return .success(nil)
        } catch {
            return .failure(error)
        }
    }

    private static func withoutRepeats(_ addresses: [SocketAddress]) -> [SocketAddress] {
        var seen: Set<SocketAddress> = []
        return addresses.filter { seen.insert($0).inserted }
    }
}
