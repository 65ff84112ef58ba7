import Testing

/// What is true of guests beyond the rule book, which ConformanceTests checks on them too.
@Suite(.serialized)
enum Guests {}
