// SPDX-License-Identifier: MIT
import CReactive
import Glibc

/// The parameters of a new child, and the code that starts it.
///
/// Safe: the system's functions receive strings and local variables that outlive the call, and keep no pointer.
struct ChildLaunch {
    let program: String
    let arguments: [String]
    let environment: [String: String]?
    let folder: String?

    /// Starts the child. Returns its handle and this process's ends of its piped streams.
    func start(_ streams: [ChildStream]) throws(SocketError) -> (handle: ChildHandle, ends: [SystemSocket?]) {
        let operation = "cannot start \(program)" + (folder.map { " in \($0)" } ?? "")
        try check(operation)
        var near: [SystemSocket?] = []
        var far: [Int32] = []
        func closeFar() { for descriptor in far where descriptor >= 0 { close(descriptor) } }
        func giveUp(_ code: Int32) -> SocketError {
            closeFar()
            for end in near { end?.close() }
            return .system(operation, code)
        }
        for (index, stream) in streams.enumerated() {
            switch Self.ends(stream, isInput: index == 0) {
            case .success(let ends):
                near.append(ends.near)
                far.append(ends.far)
            case .failure(let error): throw giveUp(error.errno)
            }
        }
        var identifier: Int32 = 0
        let code = spawn(far, &identifier)
        if code != 0 { throw giveUp(code) }
        // The child has its own copies of these descriptors. A reader reaches end of stream only when every copy is
        // closed.
        closeFar()
        far = []
        let descriptor = reactive_pidfd_open(identifier)
        if descriptor < 0, errno != ESRCH {
            let code = errno
            // Without a pidfd the loop cannot watch the child, so the child is killed. Its process identifier is still
            // valid, because the child has not been reaped.
            kill(identifier, SIGKILL)
            while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
            throw giveUp(code)
        }
        return (ChildHandle(identifier: identifier, descriptor: descriptor < 0 ? nil : descriptor), near)
    }

    private func check(_ operation: String) throws(SocketError) {
        let texts = [program] + arguments + [folder ?? ""] + (environment ?? [:]).flatMap { [$0.key, $0.value] }
        if texts.contains(where: { $0.utf8.contains(0) }) {
            throw SocketError(.malformed, "\(operation): an argument, a variable or a path contains a zero byte")
        }
        if let name = environment?.keys.first(where: { $0.isEmpty || $0.utf8.contains(UInt8(ascii: "=")) }) {
            throw SocketError(
                .malformed,
                "\(operation): \"\(name)\" is not a variable's name: it is empty or contains ="
            )
        }
    }

    private func spawn(_ streams: [Int32], _ identifier: inout Int32) -> Int32 {
        unsafe Self.withTexts([program] + arguments) { arguments in
            unsafe Self.withTexts((environment ?? [:]).map { "\($0.key)=\($0.value)" }) { variables in
                let variables = unsafe environment == nil ? nil : variables
                return unsafe reactive_spawn(program, arguments, variables, folder, streams, true, &identifier)
            }
        }
    }

    /// Both ends of one stream. The child's end is -1 if it inherits this process's descriptor.
    private static func ends(
        _ stream: ChildStream,
        isInput: Bool
    ) -> Result<(near: SystemSocket?, far: Int32), SystemFailure> {
        switch stream {
        case .inherited: return .success((nil, -1))
        case .null:
            let descriptor = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
            return descriptor < 0 ? .failure(SystemFailure(errno: errno)) : aboveStandard(descriptor).map { (nil, $0) }
        case .piped:
            var ends: [Int32] = [-1, -1]
            let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { return .failure(SystemFailure(errno: errno)) }
            let near = SystemSocket(descriptor: ends[0])
            // Only this end is non-blocking: programs expect blocking streams.
            _ = fcntl(near.descriptor, F_SETFL, fcntl(near.descriptor, F_GETFL) | O_NONBLOCK)
            if isInput { SystemSocket(descriptor: ends[1]).shutdownWriting() }
            let far = aboveStandard(ends[1])
            if case .failure = far { near.close() }
            return far.map { (near, $0) }
        }
    }

    /// Moves a descriptor above 2. Otherwise the installation of the child's standard streams would overwrite it.
    private static func aboveStandard(_ descriptor: Int32) -> Result<Int32, SystemFailure> {
        if descriptor > 2 { return .success(descriptor) }
        let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        let code = errno
        close(descriptor)
        return moved < 0 ? .failure(SystemFailure(errno: code)) : .success(moved)
    }

    /// Calls `body` with a nil-terminated array of C strings. The memory is valid only during the call.
    private static func withTexts(
        _ texts: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
    ) -> Int32 {
        var pointers = unsafe texts.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { unsafe pointers.forEach { pointer in unsafe free(pointer) } }
        return unsafe body(pointers)
    }
}
