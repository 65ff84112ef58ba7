// SPDX-License-Identifier: MIT
#if HTTP
    import Glibc
    import HTTPTypes
    import ReactiveSockets

    extension StaticFiles {
        /// Contents of at most this many bytes are read at once. Otherwise many small responses that wait for their peer
        /// would each keep a descriptor open.
        private static let storedLimit = 16 * 1024

        /// The maximum size of a file. The numbers of waiting bytes of a few larger ones would overflow. Only a sparse file
        /// is larger.
        private static let sizeLimit = 1 << 56

        /// Answers a request: with the file, a part of it, or a status.
        ///
        /// - Parameter request: The request. Only its method, path and fields are read.
        /// - Returns: The response. Its body keeps the file open until it has been sent or released.
        public func respond(to request: HTTPRequestMessage) -> HTTPResponseMessage {
            guard request.head.method == .get || request.head.method == .head else {
                var response = HTTPMessage.plain(.methodNotAllowed, "files allow GET and HEAD")
                response.head.headerFields[.allow] = "GET, HEAD"
                return response
            }
            guard let path = FilePath(request.head.path ?? "", below: prefix), servesHiddenFiles || !path.isHidden
            else {
                return Self.notFound
            }
            do throws(SystemFailure) {
                guard let found = try find(path) else { return Self.notFound }
                guard let file = found.file else { return redirect(to: path) }
                return respond(to: request.head, with: file, named: found.name)
            } catch {
                return Self.response(for: error, request.head)
            }
        }

        /// Opens a regular file. Returns `nil` if there is none.
        private func find(_ path: FilePath) throws(SystemFailure) -> (file: OpenFile?, name: [UInt8])? {
            let opened = try folder.open(path.names)
            switch try opened.status().kind {
            case .regular: return path.isFolder ? nil : (opened, path.names.last ?? [])
            case .other: return nil
            case .folder:
                guard path.isFolder else { return (nil, []) }
            }
            for index in indexes {
                let name = Array(index.utf8)
                do throws(SystemFailure) {
                    let file = try folder.open(path.names + [name])
                    if try file.status().kind == .regular { return (file, name) }
                } catch {
                    if error.errno != ENOENT { throw error }
                }
            }
            return nil
        }

        /// Relative references of a page are relative to the path, so a folder needs the slash.
        private func redirect(to path: FilePath) -> HTTPResponseMessage {
            var response = HTTPResponseMessage.plain(.movedPermanently, "a folder's path ends with a slash")
            response.head.headerFields[.location] = path.folderLocation(below: prefix)
            return response
        }

        private static var notFound: HTTPResponseMessage { .plain(.notFound, "there is no such file") }

        private static func response(for failure: SystemFailure, _ request: HTTPRequest) -> HTTPResponseMessage {
            switch failure.errno {
            case EACCES, EPERM: .plain(.forbidden, "the file may not be read")
            // A loop of links, a link that leaves the folder, or a socket.
            case ENOENT, ENOTDIR, ELOOP, EXDEV, ENAMETOOLONG, ENXIO, ENODEV: notFound
            case EMFILE, ENFILE, ENOMEM, EAGAIN:
                failed(.serviceUnavailable, "the server cannot open more files now", failure, request)
            default: failed(.internalServerError, "the file cannot be read", failure, request)
            }
        }

        /// A response that the server also reports, because this side has failed and not its peer.
        private static func failed(
            _ status: HTTPResponse.Status,
            _ text: String,
            _ failure: SystemFailure,
            _ request: HTTPRequest
        ) -> HTTPResponseMessage {
            let cause = SocketError.system("cannot read the file of the path \(request.path ?? "/")", failure.errno)
            var response = HTTPResponseMessage.plain(status, text)
            let content = FailedContent(Bytes("\(text)\n"), HTTPError(.serviceFailed, cause.message, cause: cause))
            response.body = HTTPBody(.failed(content))
            return response
        }

        // MARK: The file

        func respond(to request: HTTPRequest, with file: OpenFile, named name: [UInt8]) -> HTTPResponseMessage {
            // A small file that is being written is perhaps shorter when it is read. Then its status is old too.
            for _ in 0..<3 {
                do throws(SystemFailure) {
                    let status = try file.status()
                    if status.size > Self.sizeLimit { throw SystemFailure(errno: EFBIG) }
                    if let response = response(to: request, with: file, status, named: name) { return response }
                } catch {
                    return Self.response(for: error, request)
                }
            }
            return Self.response(for: SystemFailure(errno: EIO), request)
        }

        /// The response, or `nil` if the file cannot be read as its status says.
        private func response(
            to request: HTTPRequest,
            with file: OpenFile,
            _ status: OpenFile.Status,
            named name: [UInt8]
        ) -> HTTPResponseMessage? {
            let version = FileVersion(status, now: time(nil))
            var head = HTTPResponse(status: .ok)
            head.headerFields[.eTag] = version.tag
            if let cacheControl { head.headerFields[.cacheControl] = cacheControl }
            var ranges = ByteRanges.whole
            switch Preconditions.evaluate(request.headerFields, version) {
            case .failed:
                head.status = .preconditionFailed
                return HTTPMessage(head)
            case .notModified:
                head.status = .notModified
                return HTTPMessage(head)
            case .perform(let allowsRange):
                // RFC 9110 section 14.2: only GET has ranges.
                if allowsRange, request.method == .get {
                    ranges = ByteRanges(request.headerFields[.range], length: status.size, limit: rangeLimit)
                }
            }
            // A client would use another date for If-Range later, when the file may have changed within the same second.
            if version.hasStrongDate {
                head.headerFields[.lastModified] = HTTPDate.text(secondsSince1970: version.modified)
            }
            head.headerFields[.acceptRanges] = "bytes"
            head.headerFields[.xContentTypeOptions] = "nosniff"
            let type = mediaType?(String(decoding: name, as: UTF8.self)) ?? MediaType.of(name)
            let parts: [FileContent.Part]
            switch ranges {
            case .whole:
                head.headerFields[.contentType] = type
                parts = [.file(0..<status.size)]
            case .unsatisfiable:
                head = HTTPResponse(status: .rangeNotSatisfiable)
                head.headerFields[.contentRange] = "bytes */\(status.size)"
                return HTTPMessage(head)
            case .some(let ranges):
                parts = Self.parts(ranges, of: status.size, type, &head)
            }
            return Self.message(head, FileContent(file, parts), isHead: request.method == .head)
        }

        /// Small contents are read now. Returns `nil` if that fails.
        private static func message(
            _ head: HTTPResponse,
            _ content: FileContent,
            isHead: Bool
        ) -> HTTPResponseMessage? {
            // The content of HEAD is not read, but its length is sent.
            guard content.length <= storedLimit, !isHead else {
                return HTTPMessage(head, body: HTTPBody(.file(content)))
            }
            do throws(HTTPError) {
                return HTTPMessage(head, body: HTTPBody(try content.collected()))
            } catch {
                return nil
            }
        }

        /// The parts of a response 206 (RFC 9110 section 15.3.7).
        private static func parts(
            _ ranges: [Range<Int>],
            of size: Int,
            _ type: String,
            _ head: inout HTTPResponse
        ) -> [FileContent.Part] {
            head.status = .partialContent
            func text(_ range: Range<Int>) -> String { "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)" }
            if ranges.count == 1 {
                head.headerFields[.contentType] = type
                head.headerFields[.contentRange] = text(ranges[0])
                return [.file(ranges[0])]
            }
            // Random, so that the file cannot contain it on purpose.
            let boundary =
                String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max))
            head.headerFields[.contentType] = "multipart/byteranges; boundary=\(boundary)"
            var parts: [FileContent.Part] = []
            for (index, range) in ranges.enumerated() {
                let lineEnd = index == 0 ? "" : "\r\n"
                let fields = "Content-Type: \(type)\r\nContent-Range: \(text(range))"
                parts.append(.bytes(Bytes("\(lineEnd)--\(boundary)\r\n\(fields)\r\n\r\n")))
                parts.append(.file(range))
            }
            return parts + [.bytes(Bytes("\r\n--\(boundary)--\r\n"))]
        }
    }
#endif
