import ReactiveCore

extension LoopScheduler {
    /// Why nothing can be asked of a socket any more, where the loop has been disposed: it would never answer.
    var disposedError: SocketError? {
        isDisposed ? SocketError(.loop, "the loop \(name) has been disposed, and its sockets with it") : nil
    }
}
