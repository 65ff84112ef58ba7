// SPDX-License-Identifier: MIT
/// The state of a connection's sending side: its phase, its counters, why bytes wait, and the last watermark that was
/// crossed.
///
/// Its size is 22 bytes. Its transitions call no other code, so tests need no socket. Each asserts the states from which it
/// is legal.
struct SendingState {
    enum Phase {
        case open
        /// No more bytes are accepted. The transformer cannot end its stream yet.
        case held
        /// No more bytes are accepted. The transformer ends its stream.
        case ending
        /// No more bytes are accepted. Sending ends when all accepted bytes have been sent.
        case finishing
        /// The end of the stream has been sent.
        case finished
    }

    /// Where the waiting bytes are, and why they wait.
    enum Waiting {
        case nothing
        /// One buffer, in the slot that connections share. It waits until the current delivery returns.
        case oneBuffer
        /// Buffers in the backlog. They wait until the current delivery returns, or for a scheduled flush.
        case backlog
        /// Buffers in the backlog. They wait until the kernel's send buffer has room.
        case blocked
        /// The kernel has refused bytes. They are counted, but not kept. The connection fails when its reader has received
        /// the bytes that had arrived.
        case refused
    }

    /// Whether the loop's queue has a job that flushes.
    enum Flush { case none, scheduled }

    /// The watermark that was crossed last.
    enum Level { case low, high }

    /// The number of waiting bytes. It is zero if and only if `waiting` is `nothing`.
    private(set) var pendingCount = 0
    /// The number of bytes that the kernel has accepted so far.
    private(set) var sent = 0
    /// The turn of the last send outside of a delivery, truncated to 16 bits. If the counter wraps to the same value,
    /// one small write is delayed.
    private var lastTurn = UInt16.max
    private(set) var phase = Phase.open
    private(set) var waiting = Waiting.nothing
    private(set) var flush = Flush.none
    private(set) var level = Level.low

    /// The number of bytes accepted for sending so far, without dropped ones.
    var accepted: Int { sent + pendingCount }

    /// Whether the kernel's send buffer is full.
    var isBlocked: Bool { waiting == .blocked }

    // MARK: Accepting

    /// What to do with accepted bytes.
    enum Route {
        case write
        /// Keep them until a flush, so that one call writes them with others.
        case gather
        /// Keep them until the send buffer has room.
        case queue
    }

    /// Decides what to do with `count` bytes. Buffers of `limit` bytes and more are not gathered.
    @inline(__always)
    mutating func route(_ count: Int, limit: Int, isDelivering: Bool, turn: @autoclosure () -> UInt64) -> Route {
        switch waiting {
        case .blocked, .refused: return .queue
        case .oneBuffer, .backlog: return .gather
        case .nothing:
            if count >= limit { return .write }
            if isDelivering { return .gather }
            let turn = UInt16(truncatingIfNeeded: turn())
            defer { lastTurn = turn }
            return turn == lastTurn ? .gather : .write
        }
    }

    /// Whether one buffer that is sent now may wait in the shared slot.
    @inline(__always)
    func canKeepOneBuffer(isDelivering: Bool) -> Bool { isDelivering && waiting == .nothing }

    /// Records that the shared slot keeps a buffer of `count` bytes.
    @inline(__always)
    mutating func keepOneBuffer(_ count: Int) {
        assert(waiting == .nothing && pendingCount == 0, "another buffer waits: \(waiting)")
        waiting = .oneBuffer
        pendingCount = count
    }

    /// Records that the caller takes the buffer from the shared slot. Returns false if there is none.
    ///
    /// If the result is true, `waiting` is now `backlog`. The caller must then either add the buffer to the backlog, or
    /// write it and record that the kernel has accepted it.
    @inline(__always)
    mutating func takeOneBuffer() -> Bool {
        guard waiting == .oneBuffer else { return false }
        waiting = .backlog
        return true
    }

    /// Records that the backlog keeps `count` more bytes.
    mutating func queue(_ count: Int) {
        pendingCount += count
        if waiting != .blocked, waiting != .refused { waiting = .backlog }
    }

    /// What to do after bytes have been gathered.
    enum NextFlush {
        case now
        /// In a job of the loop's queue.
        case schedule
        /// When the delivery returns, or in the job that is already scheduled.
        case later
    }

    /// Decides when to flush gathered bytes. If at least `limit` bytes wait, they are flushed immediately.
    mutating func nextFlush(limit: Int, isDelivering: Bool) -> NextFlush {
        if pendingCount >= limit { return .now }
        if isDelivering || flush == .scheduled { return .later }
        flush = .scheduled
        return .schedule
    }

    /// Records that the loop's queue gets a job that flushes. Returns false if it has one.
    mutating func scheduleFlush() -> Bool {
        if flush == .scheduled { return false }
        flush = .scheduled
        return true
    }

    /// Records that the scheduled job runs. Returns whether it has to flush.
    mutating func beginScheduledFlush() -> Bool {
        flush = .none
        return waiting == .oneBuffer || waiting == .backlog
    }

    // MARK: Writing

    /// Records that the kernel has accepted `count` bytes that did not wait.
    mutating func wrote(_ count: Int) { sent += count }

    /// Records that the send buffer is full, and that the backlog keeps the remaining `count` bytes.
    mutating func block(keeping count: Int) {
        assert(waiting == .nothing, "bytes that wait must be sent first: \(waiting)")
        pendingCount += count
        waiting = .blocked
    }

    /// Records that the kernel has accepted the one buffer. Nothing else was waiting.
    @inline(__always)
    mutating func kernelAcceptedOneBuffer() {
        assert(waiting == .backlog, "the buffer was not taken: \(waiting)")
        sent += pendingCount
        pendingCount = 0
        waiting = .nothing
    }

    /// Records that the kernel has accepted `count` of the `attempted` bytes at the beginning of the backlog.
    mutating func kernelAccepted(_ count: Int, of attempted: Int) {
        assert(waiting == .backlog && count <= attempted && attempted <= pendingCount, "\(count) of \(attempted)")
        sent += count
        pendingCount -= count
        if pendingCount == 0 { waiting = .nothing } else { waiting = count < attempted ? .blocked : .backlog }
    }

    /// Records that the send buffer may have room. Returns whether it was full.
    mutating func unblock() -> Bool {
        guard isBlocked else { return false }
        waiting = .backlog
        return true
    }

    /// Records that the kernel refuses bytes from now on. Returns false if it has refused some before.
    mutating func refuse() -> Bool {
        if waiting == .refused { return false }
        waiting = .refused
        return true
    }

    /// Whether the kernel has refused bytes.
    var isRefused: Bool { waiting == .refused }

    // MARK: Ending

    /// Stops accepting bytes until `release`.
    mutating func hold() {
        assert(phase == .open, "hold in \(phase)")
        phase = .held
    }

    /// Records that the transformer can end its stream now.
    mutating func release() {
        assert(phase == .held, "release in \(phase)")
        phase = .open
    }

    /// Stops accepting bytes while the transformer ends its stream.
    mutating func beginEnding() {
        assert(phase == .open, "beginEnding in \(phase)")
        phase = .ending
    }

    /// Stops accepting bytes. Returns whether to send the end of the stream now.
    mutating func finish() -> Bool {
        assert(phase == .ending, "finish in \(phase)")
        phase = .finishing
        return isDrained
    }

    /// Whether only the end of the stream is left to send.
    var isDrained: Bool { (phase == .finishing || phase == .finished) && waiting == .nothing }

    /// Records that the end of the stream is sent. Returns false if it was sent before.
    mutating func shutDown() -> Bool {
        if phase == .finished { return false }
        phase = .finished
        return true
    }

    var hasFinished: Bool { phase == .finished }

    /// Drops the waiting bytes, because the connection has failed. Returns their number.
    mutating func drop() -> Int {
        let dropped = pendingCount
        pendingCount = 0
        waiting = .nothing
        level = .low
        return dropped
    }

    // MARK: Watermarks

    /// Whether `cross` may return a watermark, if no transformer keeps bytes.
    @inline(__always)
    var mayCross: Bool { waiting != .nothing || level == .high }

    /// Updates `level` for `count` waiting bytes. Returns the watermark that has been crossed, or nil.
    mutating func cross(_ count: Int, _ watermarks: Watermarks) -> Level? {
        if level == .low, count >= watermarks.high {
            level = .high
            return level
        }
        if level == .high, count <= watermarks.low {
            level = .low
            return level
        }
        return nil
    }
}
