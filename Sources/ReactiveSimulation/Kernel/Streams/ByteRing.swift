// SPDX-License-Identifier: MIT

/// A queue of bytes in a ring buffer. It releases a large buffer when it is empty.
///
/// Safe: every copy lies inside of the buffer, because the capacity is checked before.
struct ByteRing {
    private var storage: [UInt8] = []
    private var head = 0
    private(set) var count = 0

    private static let smallest = 256
    /// The largest buffer that an empty queue keeps.
    private static let kept = 4096

    mutating func append(_ memory: UnsafeRawBufferPointer) {
        if memory.count == 0 { return }
        reserve(count + memory.count)
        var tail = head + count
        if tail >= storage.count { tail -= storage.count }
        let first = min(memory.count, storage.count - tail)
        unsafe storage.withUnsafeMutableBytes { buffer in
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[tail..<tail + first])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<first]))
            if first < memory.count {
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<(memory.count - first)])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[first...]))
            }
        }
        count += memory.count
    }

    /// Copies the first bytes, which stay. There must be enough of them to fill `memory`.
    func copy(into memory: UnsafeMutableRawBufferPointer) {
        if memory.count == 0 { return }
        let first = min(memory.count, storage.count - head)
        unsafe storage.withUnsafeBytes { buffer in
            unsafe memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[head..<head + first]))
            if first < memory.count {
                unsafe UnsafeMutableRawBufferPointer(rebasing: memory[first...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<(memory.count - first)]))
            }
        }
    }

    mutating func removeFirst(_ number: Int) {
        count -= number
        head += number
        if head >= storage.count { head -= storage.count }
        if count == 0 {
            head = 0
            if storage.count > Self.kept { storage = [] }
        }
    }

    /// Removes the newest bytes, so that `number` remain.
    mutating func truncate(to number: Int) {
        count = min(count, number)
        if count == 0 { removeFirst(0) }
    }

    private mutating func reserve(_ needed: Int) {
        if needed <= storage.count { return }
        var size = max(Self.smallest, storage.count)
        while size < needed { size *= 2 }
        var larger = [UInt8](repeating: 0, count: size)
        unsafe larger.withUnsafeMutableBytes { buffer in
            unsafe copy(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
        }
        storage = larger
        head = 0
    }
}
