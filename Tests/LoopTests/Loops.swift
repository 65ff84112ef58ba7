// SPDX-License-Identifier: MIT
import Testing

/// Properties of our loops beyond the rule book, which ConformanceTests checks. The tests run one at a time, because
/// process signals affect the whole process.
@Suite(.serialized)
enum Loops {}
