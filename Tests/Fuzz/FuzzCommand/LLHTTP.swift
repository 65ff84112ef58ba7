// SPDX-License-Identifier: MIT
#if HTTP
    import Glibc

    /// llhttp, in a shared library with `Tests/Fuzz/llhttp/digest.c`. `make` builds it from Debian's `node-llhttp`, and
    /// names it in the variable LLHTTP.
    struct LLHTTP: @unchecked Sendable {
        private typealias Digest =
            @convention(c) (UnsafePointer<UInt8>?, Int, Int32, UnsafeMutablePointer<UInt8>, Int) -> Int

        /// `nil` if the variable is not set.
        static let shared = getenv("LLHTTP").map { LLHTTP(String(cString: $0)) }

        private let digest: Digest

        private init(_ path: String) {
            guard let library = dlopen(path, RTLD_NOW), let symbol = dlsym(library, "llhttp_digest") else {
                fatalError("cannot load llhttp from \(path): \(String(cString: dlerror()))")
            }
            digest = unsafeBitCast(symbol, to: Digest.self)
        }

        /// What llhttp makes of a stream.
        func parse(_ stream: [UInt8], isResponse: Bool) -> HTTPDigest {
            let capacity = 8 * stream.count + 1024
            let records = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                guard let base = buffer.baseAddress else { return }
                count = stream.withUnsafeBufferPointer { input in
                    self.digest(input.baseAddress, input.count, isResponse ? 1 : 0, base, capacity)
                }
            }
            var result = HTTPDigest()
            var place = 0
            while place < records.count {
                let size = (1...4).reversed().reduce(0) { $0 << 8 | Int(records[place + $1]) }
                result.add(records[place], records[(place + 5)..<(place + 5 + size)], isResponse)
                place += 5 + size
            }
            return result
        }
    }

    extension HTTPDigest {
        /// Adds a record of the C code.
        fileprivate mutating func add(_ kind: UInt8, _ bytes: ArraySlice<UInt8>, _ isResponse: Bool) {
            let text = String(decoding: bytes, as: UTF8.self)
            let kind = Character(Unicode.Scalar(kind))
            if messages.isEmpty || messages[messages.count - 1].isComplete, "muvsn".contains(kind) {
                messages.append(Message())
            }
            let last = messages.count - 1
            switch kind {
            case "m": messages[last].method = text
            case "u": messages[last].target = text
            case "v": messages[last].version = text
            case "s": messages[last].status = text
            case "n": messages[last].add(name: text.lowercased())
            case "w": messages[last].add(value: bytes)
            case "h": messages[last].hasHead = true
            case "b": messages[last].body += bytes
            case "e": messages[last].isComplete = true
            // llhttp notices the end of the connection by the bytes after it.
            case "x" where text == "Data after `Connection: close`": isPaused = true
            case "x": error = text
            default: isPaused = true
            }
        }
    }
#endif
