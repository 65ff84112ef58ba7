import ReactiveCore

/// What connections have in common that came from one listener to one loop; they share it, since there may be many.
final class ConnectionPlace: Sendable {
    let loop: any LoopScheduler
    let watermarks: Watermarks
    /// So many bytes are worth a call of their own, or have to be told as waiting.
    let gatheredAtMost: Int
    /// The address of this end.
    let address: SocketAddress?

    init(_ loop: any LoopScheduler, _ watermarks: Watermarks, _ address: SocketAddress?) {
        self.loop = loop
        self.watermarks = watermarks
        gatheredAtMost = min(16 * 1024, watermarks.high)
        self.address = address
    }

    var isCurrent: Bool { loop.isCurrent }
}
