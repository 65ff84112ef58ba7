#if HTTP
    import HTTPTypes
    import ReactiveSockets

    struct HeadWriter {
        var isForHead: Bool
        var minorVersion: Int
        var isPersistent: Bool
        var body: MessageFraming.BodyLength

        func write(_ head: HTTPResponse, _ content: Bytes) -> Bytes {
            var text = "HTTP/1.1 \(head.status.code) \(head.status.reasonPhrase)\r\n"
            for field in head.headerFields { text += "\(field.name.rawName): \(field.value)\r\n" }
            switch body {
            case .fixed(let n): if head.status.allowsBody { text += "Content-Length: \(n)\r\n" }
            case .chunked: text += "Transfer-Encoding: chunked\r\n"
            case .tunnel: text += "Connection: upgrade\r\n"
            default: break
            }
            if !isPersistent, body != .tunnel { text += "Connection: close\r\n" } else if minorVersion == 0 { text += "Connection: keep-alive\r\n" }
            text += "\r\n"
            return isForHead || !head.status.allowsBody ? Bytes(text) : Bytes(joining: [Bytes(text), content])
        }
    }
    enum ChunkWriter {
        static func chunk(_ bytes: Bytes) -> Bytes {
            Bytes(joining: [Bytes(String(bytes.count, radix: 16) + "\r\n"), bytes, "\r\n"])
        }
        static func end(_ trailers: HTTPFields?) -> Bytes {
            var text = "0\r\n"
            for field in trailers ?? [:] { text += "\(field.name.rawName): \(field.value)\r\n" }
            return Bytes(text + "\r\n")
        }
    }
#endif
