// SPDX-License-Identifier: MIT
/// A range of a file that a connection sends.
package struct FilePart: Sendable {
    package let file: OpenFile
    package let range: Range<Int>
    /// Called on the loop if the file cannot be read up to the end of the range, after the connection has been reset.
    /// The error has no number if the file has become shorter.
    package let failed: @Sendable (SocketError) -> Void

    package init(_ file: OpenFile, _ range: Range<Int>, failed: @escaping @Sendable (SocketError) -> Void) {
        self.file = file
        self.range = range
        self.failed = failed
    }
}

/// The part of a file that waits to be sent, and the bytes that follow it in the stream.
final class WaitingFile {
    let part: FilePart
    private(set) var offset: Int
    /// The buffers behind the file.
    var following = BytesQueue()

    init(_ part: FilePart) {
        self.part = part
        offset = part.range.lowerBound
    }

    var remaining: Int { part.range.upperBound - offset }

    func advance(_ count: Int) { offset += count }
}
