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
        let disposals = CompositeDisposable(
            [(first, second), (second, first)].map { own, other in own.loop.whenDisposed { loopEnded(own, other) } }
        )
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
                    disposals.dispose()
                    end.complete()
                case .failed(let error):
                    disposals.dispose()
                    first.abort()
                    second.abort()
                    end.fail(error)
                }
            })
        }
        return end.signal
    }

    /// Ends a pipe, because the loop of one connection has been disposed. Without a watch neither connection would notice
    /// that, and the pipe retains both.
    private static func loopEnded(_ own: Connection, _ other: Connection) {
        own.core.value.abandon()
        if other.loop !== own.loop { other.abort() }
    }
}
