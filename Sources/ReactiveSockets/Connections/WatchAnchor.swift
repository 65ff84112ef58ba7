import ReactiveCore
import ReactiveSupport

/// What a watch's closure holds its socket by: it notices when the loop lets go of the watch because the loop is over.
///
/// The socket holds its observer, and what observes holds the socket: an echo does. Nobody else would ever cut that.
final class WatchAnchor<Core: LoopBound>: Sendable {
    private let confined: UnsafeTransfer<Core>

    init(_ core: Core) { confined = UnsafeTransfer(core) }

    var core: Core { confined.value }

    deinit {
        // While the loop lives it is the socket that lets go of the watch, and that is nothing to tell it.
        if core.loop.isDisposed { core.abandon() }
    }
}

/// The state of a socket, which ends with its loop.
protocol LoopBound: AnyObject {
    var loop: any LoopScheduler { get }

    /// Closes the descriptor and lets go of everybody, without a word: there is no loop left to say it on.
    func abandon()
}
