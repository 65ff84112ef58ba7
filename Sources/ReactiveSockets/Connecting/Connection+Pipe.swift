// SPDX-License-Identifier: MIT
import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

extension Connection {
    /// Forwards bytes between two connections in both directions, as a proxy does.
    ///
    /// It starts immediately. A slow peer on one side pauses the sender on the other side, so no queue grows. The
    /// connections may belong to different loops. Each end of stream is forwarded, and the other direction continues
    /// (rule N12). If one direction fails, both connections are reset. A direction also fails if `received` of its
    /// source already has a subscriber.
    ///
    /// - Parameters:
    ///   - first: One connection.
    ///   - second: The other connection.
    /// - Returns: A signal that completes when both directions have ended, or fails with the first error. It may be
    ///   ignored. The termination is delivered on the loop of one of the connections. Disposing a subscription does not
    ///   stop the pipe: abort a connection instead. If the loop of one connection is disposed, the other is reset.
    @discardableResult
    public static func pipe(_ first: Connection, _ second: Connection) -> Signal<Never, SocketError> {
        let end = DiscardableOutcome<SocketError>(of: "Connection.pipe")
        let left = Lock(2)
        let disposals = CompositeDisposable()
        // The pipe retains both until it ends.
        let both = Lock([first, second])
        let takeBoth: @Sendable () -> [Connection] = { both.withLock { both in both.takeAll() } }
        let finish: @Sendable (Termination<SocketError>) -> Void = { termination in
            disposals.dispose()
            end.send(termination: termination)
        }
        first.join(second)
        second.join(first)
        let directions = [second.send(from: first.received), first.send(from: second.received)]
        for direction in directions {
            direction.subscribe(onTermination: { termination in
                switch termination {
                case .completed:
                    let isLast = left.withLock { left in
                        left -= 1
                        return left == 0
                    }
                    guard isLast else { return }
                    _ = takeBoth()
                case .failed: for connection in takeBoth() { connection.abort() }
                }
                finish(termination)
            })
        }
        // A connection without a watch does not notice that its loop is disposed. The pipe then releases it, which closes
        // it if nothing else retains it.
        for (own, other) in [(first.loop, second.loop), (second.loop, first.loop)] {
            disposals.add(
                own.onDispose {
                    for connection in takeBoth() where connection.loop !== own { connection.abort() }
                    guard other !== own else { return }
                    let over = SocketError(.loop, "the loop \(own.name) has been disposed, so the pipe has ended")
                    other.runOrExecute { finish(.failed(over)) }
                }
            )
        }
        return end.signal
    }
}
