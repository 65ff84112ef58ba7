/// A variable that nothing protects: the hop whose order is checked has to do it.
///
/// Why `@unchecked Sendable` is right: it is not, and that is what it is for. Each side reads it after the other has handed
/// over; where the loop breaks that promise ThreadSanitizer says so.
final class Unprotected: @unchecked Sendable {
    var value = 0
}
