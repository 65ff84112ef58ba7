// SPDX-License-Identifier: MIT

/// A queue of bytes. It releases a large buffer when it is empty.
///
/// Safe: every copy lies inside of the buffer, because the range of the bytes is checked.
struct ByteQueue {
    /// The bytes, after those that have been removed.
    private var storage: [UInt8] = []
    /// The number of removed bytes in the storage.
    private var head = 0

    /// The largest buffer that an empty queue keeps.
    private static let kept = 4096

    var count: Int { storage.count - head }

    mutating func append(_ memory: UnsafeRawBufferPointer) {
        if head > count {
            // Fewer bytes move than have been removed, so the cost of each byte is constant.
            storage.removeFirst(head)
            head = 0
        }
        unsafe storage.append(contentsOf: memory)
    }

    /// Copies the first bytes, which stay. There must be enough of them to fill `memory`.
    func copy(into memory: UnsafeMutableRawBufferPointer) {
        if memory.count == 0 { return }
        unsafe storage.withUnsafeBytes { buffer in
            unsafe memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[head..<head + memory.count]))
        }
    }

    mutating func removeFirst(_ number: Int) {
        head += number
        if head < storage.count { return }
        storage.removeAll(keepingCapacity: storage.capacity <= Self.kept)
        head = 0
    }

    /// Removes the newest bytes, so that `number` remain.
    mutating func truncate(to number: Int) {
        storage.removeLast(max(0, count - number))
        removeFirst(0)
    }
}
