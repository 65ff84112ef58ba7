/// What a hop does with a value when as many as its limit are waiting already.
public enum OverflowPolicy: Sendable, Hashable {
    /// Pauses the source when the limit is reached, and lets it go on when half of the values are through. Nothing is lost:
    /// a source that cannot wait keeps its values by its own ``BufferPolicy``.
    case holdBack
    /// Drops the oldest value that waits: the observer stays up to date.
    case dropOldest
    /// Drops the value that came.
    case dropNewest
}
