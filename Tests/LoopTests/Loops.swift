import Testing

/// What is true of our loops beyond the rule book, which ConformanceTests checks. One at a time: signals are the process's.
@Suite(.serialized)
enum Loops {}
