// SPDX-License-Identifier: MIT
/// The limits of one request.
struct RequestLimits: Sendable {
    /// The most bytes of a request. A longer one ends its connection as soon as its length is known.
    var bytes = 512 * 1024 * 1024
    /// The most words, including the command's name.
    var arguments = 1024 * 1024
    /// The most bytes of a line: an inline request, or a count.
    var line = 64 * 1024
}
