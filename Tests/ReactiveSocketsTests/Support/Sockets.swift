import Testing

/// Everything that opens sockets, one test at a time: they look at the process's descriptors.
@Suite(.serialized)
enum Sockets {}
