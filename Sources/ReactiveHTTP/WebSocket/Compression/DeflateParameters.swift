// SPDX-License-Identifier: MIT
#if HTTP
    /// What has been negotiated for the messages of one direction (RFC 7692 section 7.1).
    struct DeflateParameters: Sendable, Equatable {
        /// The logarithm of the window's size: 8 to 15.
        var windowBits = 15
        /// Whether a message may refer to earlier ones, so that the state is kept between messages.
        var keepsContext = true
    }
#endif
