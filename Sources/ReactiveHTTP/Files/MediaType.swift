// SPDX-License-Identifier: MIT
#if HTTP
    /// The media types of files by the extensions of their names.
    enum MediaType {
        /// The type of content that nothing describes better (RFC 2046 section 4.5.1). With `nosniff` a browser stores it.
        static let unknown = "application/octet-stream"

        /// The media type for a name, or `unknown`. Upper case and lower case are the same.
        static func of(_ name: [UInt8]) -> String {
            guard let dot = name.lastIndex(of: UInt8(ascii: ".")), name.count - dot <= 12 else { return unknown }
            let suffix = String(decoding: name[(dot + 1)...], as: UTF8.self).lowercased()
            return table[suffix] ?? unknown
        }

        private static let text = "; charset=utf-8"

        /// The types of RFC 9239, RFC 6838 and the registry of IANA.
        private static let table: [String: String] = [
            "html": "text/html" + text, "htm": "text/html" + text, "css": "text/css" + text,
            "js": "text/javascript" + text, "mjs": "text/javascript" + text, "txt": "text/plain" + text,
            "md": "text/markdown" + text, "csv": "text/csv" + text, "xml": "text/xml" + text,
            "ics": "text/calendar" + text, "vtt": "text/vtt" + text,
            "json": "application/json", "map": "application/json", "webmanifest": "application/manifest+json",
            "jsonld": "application/ld+json", "atom": "application/atom+xml", "rss": "application/rss+xml",
            "pdf": "application/pdf", "wasm": "application/wasm", "zip": "application/zip", "gz": "application/gzip",
            "tar": "application/x-tar", "bz2": "application/x-bzip2", "xz": "application/x-xz",
            "zst": "application/zstd",
            "7z": "application/x-7z-compressed", "rtf": "application/rtf",
            "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
            "avif": "image/avif", "svg": "image/svg+xml", "ico": "image/vnd.microsoft.icon", "bmp": "image/bmp",
            "tif": "image/tiff", "tiff": "image/tiff", "jxl": "image/jxl",
            "mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "ogv": "video/ogg", "mov": "video/quicktime",
            "mpeg": "video/mpeg", "ts": "video/mp2t",
            "mp3": "audio/mpeg", "m4a": "audio/mp4", "aac": "audio/aac", "ogg": "audio/ogg", "oga": "audio/ogg",
            "opus": "audio/ogg", "wav": "audio/wav", "flac": "audio/flac", "weba": "audio/webm",
            "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
        ]
    }
#endif
