// SPDX-License-Identifier: MIT
import CReactive
import Glibc

extension Bytes {
    /// Returns the offset of the first delimiter at or after offset `start`, or nil. Offsets count from the first byte.
    ///
    /// Safe: both buffers are retained during the call, and `start` is checked.
    func offset(of delimiter: Delimiter, from start: Int) -> Int? {
        unsafe withUnsafeBytes { memory -> Int? in
            guard let base = memory.baseAddress, start < memory.count else { return nil }
            let length = memory.count - start
            let found: UnsafeMutableRawPointer?
            if delimiter.count == 1 {
                let byte = Int32(delimiter.bytes.load(delimiter.bytes.startIndex))  // checked: a byte always fits
                unsafe found = memchr(base + start, byte, length)
            } else {
                unsafe found = delimiter.bytes.withUnsafeBytes { wanted in
                    unsafe reactive_find(base + start, length, wanted.baseAddress, wanted.count)
                }
            }
            return unsafe found.map { unsafe UnsafeRawPointer($0) - base }
        }
    }

    /// The bytes at a range of offsets from the first byte. They share the memory, and their indices begin at 0.
    func part(_ offsets: Range<Int>) -> Bytes {
        guard let slab, !offsets.isEmpty else { return Bytes() }
        return Bytes(slab, origin: origin + startIndex + offsets.lowerBound, count: offsets.count)
    }
}
