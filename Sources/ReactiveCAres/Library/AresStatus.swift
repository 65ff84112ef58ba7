// SPDX-License-Identifier: MIT
#if CAres
    import CCares
    import Glibc

    /// Why c-ares or the system refused to create a channel.
    struct AresStatus: Error {
        /// The system's error number.
        let errno: Int32

        init(errno: Int32) { self.errno = errno }

        /// Creates the reason for a status of c-ares.
        init(_ status: Int32) {
            errno =
                switch status {
                case ARES_ENOMEM: ENOMEM
                case ARES_EFILE: EMFILE
                default: EINVAL
                }
        }

        /// The error number for too many look-ups.
        static var limit: Int32 { EAGAIN }
    }

    /// The library as a whole.
    enum AresLibrary {
        /// The status of the library's initialization, which happens once per process.
        static let status = ares_library_init(ARES_LIB_INIT_ALL)

        /// Safe: the library returns a constant text.
        static func text(_ status: Int32) -> String { unsafe String(cString: ares_strerror(status)) }
    }
#endif
