// SPDX-License-Identifier: MIT
import ReactiveSockets

/// A command's name in lower case, packed into two integers for a fast look-up.
///
/// A name that is empty, too long or contains a NUL byte is not equal to any command's name.
struct CommandName: Hashable, Sendable {
    private var high: UInt64 = 0
    private var low: UInt64 = 0

    /// The length of the longest valid name, in bytes.
    private static let longest = 16

    @inline(__always)
    init(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) {
        guard count <= Self.longest else { return }
        for position in start..<start + count {
            if bytes[position] == 0 {
                (high, low) = (0, 0)
                return
            }
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(ASCII.lowercased(bytes[position]))
        }
    }

    /// The slot at which a hash table looks first.
    var slot: Int { Int(truncatingIfNeeded: (high ^ low) &* 0x9E37_79B9_7F4A_7C15 >> 48) }

    init(_ name: Bytes) {
        self = name.withSpan { CommandName($0, 0, $0.count) }
    }
}
