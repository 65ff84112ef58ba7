import Glibc

/// Two connected stream sockets that do not block; closed with the last reference.
package final class SocketPair: Sendable {
    package let near: Int32
    package let far: Int32
    private let nearIsOpen = Box(true)
    private let farIsOpen = Box(true)

    package init() {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        precondition(socketpair(AF_UNIX, type, 0, &ends) == 0, "socketpair: \(errno)")
        near = ends[0]
        far = ends[1]
    }

    deinit {
        closeNear()
        closeFar()
    }

    package func closeNear() { if nearIsOpen.update({ isOpen in swapOut(&isOpen) }) { close(near) } }

    package func closeFar() { if farIsOpen.update({ isOpen in swapOut(&isOpen) }) { close(far) } }
}

private func swapOut(_ flag: inout Bool) -> Bool {
    defer { flag = false }
    return flag
}

/// Writes bytes to a descriptor; how many went out, or -1.
@discardableResult
package func put(_ text: String, to descriptor: Int32) -> Int {
    var text = text
    return text.withUTF8 { bytes in
        send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
}

/// Reads at most `limit` bytes: the number, 0 at the end, -1 where there is nothing or an error.
package func take(_ limit: Int = 65536, from descriptor: Int32) -> Int {
    withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { bytes in
        read(descriptor, bytes.baseAddress, limit)
    }
}

/// Raises the number of descriptors that this process may have, as far as it is allowed to.
package func raiseDescriptorLimit() { DescriptorLimit.set(max(DescriptorLimit.current, 8192)) }
