// SPDX-License-Identifier: MIT

/// The memory that Linux takes for one message, in bytes. It counts against the buffers of UDP and Unix sockets.
///
/// The numbers are those of Linux 6.18 on x86-64, which `SO_MEMINFO` reports: 256 for `sk_buff`, and a block for the
/// headers, the bytes and 320 for `skb_shared_info`. Large messages have whole pages besides.
enum MessageMemory {
    private static let page = 4_096
    private static let descriptor = 256
    private static let trailer = 320
    private static let largestFragmentCount = 17

    /// A datagram of UDP.
    static func datagram(_ count: Int, isFour: Bool) -> Int {
        // Space for the headers of Ethernet, IP and UDP.
        let linear = count + (isFour ? 59 : 72)
        if linear < 4 * page - trailer { return descriptor + block(linear, smallest: 576) }
        let first = firstFragment(count, isFour: isFour)
        return headers + (first > 0 ? first : count)
    }

    private static let headers = descriptor + 576

    /// The first fragment of a datagram of UDP, or 0 if the datagram has only one.
    static func firstFragment(_ count: Int, isFour: Bool) -> Int {
        // The loopback interface of Linux transfers 65,536 bytes at a time.
        !isFour && count > 65_488 ? headers + 65_480 : 0
    }

    /// A datagram of a Unix socket.
    static func unixDatagram(_ count: Int) -> Int {
        let fragmented = max(0, min(count - (4 * page - trailer), largestFragmentCount * page))
        let pages = wholePages(fragmented)
        return descriptor + block(count - pages, smallest: 512) + pages
    }

    /// A message of a Unix stream. `count` is at most ``unixSegment(sendBuffer:)``.
    static func unixSegment(_ count: Int) -> Int {
        let fragmented = max(0, count - (page - trailer))
        let pages = wholePages(fragmented)
        return descriptor + block(count - min(count, pages), smallest: 512) + pages
    }

    /// The number of bytes of the longest message of a Unix stream. A longer write becomes several messages.
    static func unixSegment(sendBuffer: Int) -> Int { min(sendBuffer / 2 - 64, page - trailer + 8 * page) }

    /// The block that holds `count` bytes and the trailer: the smallest size, or a power of two.
    private static func block(_ count: Int, smallest: Int) -> Int {
        let needed = (count + 63) / 64 * 64 + trailer
        if needed <= smallest { return smallest }
        var size = 1_024
        while size < needed { size *= 2 }
        return size
    }

    private static func wholePages(_ count: Int) -> Int { (count + page - 1) / page * page }
}
