import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

extension Connection {
    /// Sends everything that one connection receives through the other, in both directions, as a proxy does.
    ///
    /// It starts at once. A slow peer on one side holds the sender on the other back, and nothing grows between them; the two may
    /// live on different loops. Each end of a stream is passed on, and the other direction goes on (rule N12). Where one
    /// side breaks off, so does the other. The result may be let go of; it completes when both directions have ended and fails
    /// with the error that came first. Disposing a subscription to it changes nothing: to end a pipe, abort a connection.
    @discardableResult
    public static func pipe(_ first: Connection, _ second: Connection) -> Signal<Never, SocketError> {
        let end = Subject<Never, SocketError>()
        let left = Lock(2)
        let directions = [second.send(from: first.received), first.send(from: second.received)]
        for direction in directions {
            direction.subscribe(onTermination: { termination in
                switch termination {
                case .completed:
                    let isLast = left.withLock { left in
                        left -= 1
                        return left == 0
                    }
                    if isLast { end.complete() }
                case .failed(let error):
                    first.abort()
                    second.abort()
                    end.fail(error)
                }
            })
        }
        return end.signal
    }
}
