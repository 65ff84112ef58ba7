public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

/// A program that runs beside this one, its streams as connections and its end as a signal.
///
/// It runs from the initialiser on. Everything is delivered on the child's loop; every member may be used from any thread.
/// Its status is always collected, also where nobody asks for it: no zombie stays behind, and children of others are left
/// alone (rule G5). While it runs it keeps its loop in `runUntilIdle`.
///
/// Letting go of a child leaves it running, unless `isKilledWhenLetGo` was asked for; connections to it that nobody else
/// refers to are closed, so it sees the end of its input, and an error or `SIGPIPE` where it writes. When the loop is
/// disposed the same happens, and a thread of its own waits for a child that goes on.
public final class ChildProcess: Sendable {
    /// The loop that everything is delivered on.
    public let loop: any LoopScheduler
    /// The system's number for it. Another process may have it once this one has ended: see ``send(_:)``.
    public let identifier: Int32
    /// Its input, where that was asked for: `finishSending()` is the end of it. It only sends.
    public let standardInput: Connection?
    /// What it prints, where that was asked for. It only receives.
    public let standardOutput: Connection?
    /// What it complains of, where that was asked for. It only receives.
    public let standardError: Connection?

    private let core: UnsafeTransfer<ChildCore>
    private let handle: ChildHandle
    private let isKilledWhenLetGo: Bool

    /// Starts a program. Any thread; it returns when the program has begun, or could not.
    ///
    /// The child begins with every process signal at its default and none blocked, and inherits no descriptor that this
    /// framework has made.
    ///
    /// - Parameters:
    ///   - program: a path, or a name without a slash, which is looked up in this process's `PATH`.
    ///   - arguments: what follows the program's name.
    ///   - environment: all of its environment; nil stands for this process's.
    ///   - folder: where it works; a relative path of `program` starts there too. Nil stands for where this process does.
    ///   - standardInput: what it gets as its input; nothing, unless said otherwise.
    ///   - standardOutput: where it prints to.
    ///   - standardError: where it complains to.
    ///   - isKilledWhenLetGo: whether it is killed when nobody refers to this any more, or the loop is disposed.
    ///   - loop: where everything is delivered.
    /// - Throws: `noSuchPath`, `permissionDenied`, `outOfDescriptors` or `systemCall`, with the program's name in its text;
    ///   `malformed` where a text has a zero byte, or a variable's name is empty or has a `=`; `loop` where the loop has been
    ///   disposed. Nothing is left behind.
    public init(
        _ program: String,
        _ arguments: [String] = [],
        environment: [String: String]? = nil,
        folder: String? = nil,
        standardInput: ChildStream = .null,
        standardOutput: ChildStream = .inherited,
        standardError: ChildStream = .inherited,
        isKilledWhenLetGo: Bool = false,
        loop: any LoopScheduler
    ) throws(SocketError) {
        if let over = loop.overError { throw over }
        let launch = ChildLaunch(program: program, arguments: arguments, environment: environment, folder: folder)
        let started = try launch.start([standardInput, standardOutput, standardError])
        self.loop = loop
        self.isKilledWhenLetGo = isKilledWhenLetGo
        handle = started.handle
        identifier = handle.identifier
        let connections = started.ends.map { end in
            end.map { Connection($0, on: loop, from: nil, to: nil, watermarks: Watermarks()) }
        }
        (self.standardInput, self.standardOutput, self.standardError) =
            (connections[0], connections[1], connections[2])
        // Each goes one way: when that way has ended the descriptor goes, without anybody closing it.
        connections[0]?.received.subscribe()
        connections[1]?.finishSending()
        connections[2]?.finishSending()
        core = UnsafeTransfer(ChildCore(handle, loop, launch.program, isKilledWhenLetGo: isKilledWhenLetGo))
        loop.runOrExecute { [core] in core.value.start() }
    }

    deinit {
        if isKilledWhenLetGo { handle.kill() }
    }

    /// How it has ended: one value, when it has; who asks later gets it too.
    ///
    /// What it has printed may still be on its way then: whoever wants all of it waits for the end of
    /// ``standardOutput``'s `received` as well. It fails with `noSuchProcess` where the status is lost, because this
    /// process ignores `SIGCHLD` or because somebody else in it waits for all children; with `loop` on a loop that has been
    /// disposed.
    public var exit: Signal<ExitStatus, SocketError> {
        let (core, loop) = (core, loop)
        return Signal { emitter, subscription in
            if let over = loop.overError { return emitter.fail(over) }
            loop.runOrExecute { core.value.tell(emitter, subscription) }
        }
    }

    /// Sends it a process signal. Any thread. It never reaches another process that has the same number by now.
    ///
    /// - Throws: `noSuchProcess` where it has ended, `permissionDenied` where it runs as somebody else by now, `systemCall`
    ///   where there is no such signal.
    public func send(_ signal: ProcessSignal) throws(SocketError) {
        let code = handle.send(signal.rawValue)
        if code != 0 { throw SocketError.system("cannot send \(signal) to process \(identifier)", code) }
    }
}
