import Testing

/// The rules of research on event loops, each on every loop of this build. One at a time: they look at clocks.
@Suite(.serialized)
enum Loops {}
