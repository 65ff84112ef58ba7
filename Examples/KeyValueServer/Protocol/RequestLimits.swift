// SPDX-License-Identifier: MIT
/// The limits of one request.
struct RequestLimits: Sendable {
    /// The maximum number of bytes of a request. A longer request ends its connection as soon as its length is known.
    var bytes = 512 * 1024 * 1024
    /// The maximum number of words, including the command's name.
    var arguments = 1024 * 1024
    /// The maximum number of bytes of a line. A line is an inline request or a count.
    var line = 64 * 1024
}
