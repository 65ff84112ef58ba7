// SPDX-License-Identifier: MIT
/// Two connected nonblocking stream sockets.
package final class SocketPair: Sendable {
    private let ends: (near: OwnedDescriptor, far: OwnedDescriptor)

    package init(file: StaticString = #fileID, line: Int = #line) {
        let (near, far) = Descriptor.sockets()
        ends = (OwnedDescriptor(near, file: file, line: line), OwnedDescriptor(far, file: file, line: line))
    }

    package var near: Int32 { ends.near.number }

    package var far: Int32 { ends.far.number }

    package func closeNear() { ends.near.close() }

    package func closeFar() { ends.far.close() }

    /// Closes both ends. A descriptor that has been closed stays closed.
    package func close() {
        closeNear()
        closeFar()
    }
}
