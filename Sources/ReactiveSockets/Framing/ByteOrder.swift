/// In which order the bytes of an integer are sent.
public enum ByteOrder: Sendable, Hashable {
    /// The most significant byte first, as network protocols have it.
    case bigEndian
    /// The least significant byte first.
    case littleEndian
}
