// SPDX-License-Identifier: MIT
import Testing

/// Properties of guests beyond the rule book. ConformanceTests checks the rule book on guests too.
@Suite(.serialized)
enum Guests {}
