// SPDX-License-Identifier: MIT
#if HTTP
    public import ReactiveSockets
    import ReactiveSupport

    /// The files of a folder, served with ranges and conditional requests.
    ///
    /// ```swift
    /// let files = try StaticFiles(at: "public")
    /// let server = try HTTPServer(on: .loopback(port: 8080), loops: loops, service: files.service)
    /// ```
    ///
    /// It answers GET and HEAD. Any thread may use it. Each request opens its file, so changes are visible at once, and
    /// nothing is cached.
    ///
    /// A request cannot leave the folder: the kernel resolves its path below the descriptor of the folder
    /// (`openat2` with `RESOLVE_BENEATH`). Only regular files are served. FIFOs, sockets, devices and listings of folders
    /// are not.
    ///
    /// | Failure | Response |
    /// |---|---|
    /// | no such file, a path that is refused, a hidden file, a file that is not regular | 404 |
    /// | the process lacks the permission | 403 |
    /// | another method | 405 |
    /// | no free descriptor | 503 |
    /// | the disk fails | 500 |
    ///
    /// The loop opens and reads the file, so it waits if the disk does. A file that becomes shorter while it is sent
    /// resets the connection, and ``HTTPServer/failures`` reports it.
    public struct StaticFiles: Sendable {
        /// What to do with symbolic links in the folder.
        public enum LinkPolicy: Sendable, Hashable {
            /// Follow links that stay in the folder. A link with an absolute path counts as leaving it.
            ///
            /// Systems without openat2 follow none (before Linux 5.6, and in some sandboxes).
            case withinFolder
            /// Follow no link.
            case none
        }

        /// The value of the field `Cache-Control`. `nil` leaves it out. With `no-cache` a browser asks each time whether
        /// the file has changed.
        public var cacheControl: String?
        /// The names that are tried in a folder, in this order. If there is none, a folder is answered with 404.
        public var indexes = ["index.html"]
        /// Whether files and folders whose names begin with a dot are served. Otherwise only `.well-known` of the root is
        /// (RFC 8615).
        public var servesHiddenFiles = false
        /// The maximum number of ranges in one request. A request with more receives the whole file.
        public var rangeLimit = 16
        /// Returns the media type for the name of a file, in place of the table of this module. `nil` means the table.
        public var mediaType: (@Sendable (_ name: String) -> String?)?

        let folder: OpenFolder
        let prefix: String

        /// Opens a folder.
        ///
        /// The folder stays open, so it may be moved. A folder that replaces it is not noticed.
        ///
        /// - Parameters:
        ///   - folder: The path of the folder.
        ///   - prefix: The beginning of the paths of requests, which is not a part of the files' paths. It must begin and
        ///     end with a slash. Otherwise the call traps. It is compared as sent, without percent-decoding.
        ///   - links: What to do with symbolic links.
        /// - Throws: `noSuchPath` if the folder does not exist or is not a folder. `permissionDenied`, `outOfDescriptors`
        ///   or `systemCall` if the system refuses to open it.
        public init(
            at folder: String,
            below prefix: String = "/",
            links: LinkPolicy = .withinFolder
        ) throws(SocketError) {
            try self.init(OpenFolder(folder, followsLinks: links == .withinFolder), below: prefix)
        }

        init(_ folder: OpenFolder, below prefix: String = "/") {
            require(
                prefix.hasPrefix("/") && prefix.hasSuffix("/") && !prefix.contains("//"),
                "the prefix \(prefix) of static files must begin and end with one slash"
            )
            self.folder = folder
            self.prefix = prefix
        }

        /// The service that answers each request with ``respond(to:)``.
        public var service: HTTPService { .function { [self] request in respond(to: request) } }
    }
#endif
