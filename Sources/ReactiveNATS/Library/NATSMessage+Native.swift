#if NATS
    import CNats
    import Glibc
    import ReactiveSockets

    extension NATSMessage {
        /// A copy of one of nats.c's, which has this subject, and whether its headers could be read.
        static func copying(_ message: OpaquePointer, _ subject: String) -> (message: NATSMessage, isReadable: Bool) {
            let count = max(0, Int(clamping: natsMsg_GetDataLength(message)))
            let payload = natsMsg_GetData(message).map { data in
                Bytes(UnsafeRawBufferPointer(start: data, count: count))
            }
            let reply = natsMsg_GetReply(message).map { String(cString: $0) }
            let headers = headers(of: message)
            let copy = NATSMessage(payload ?? Bytes(), to: subject, reply: reply, headers: headers ?? [:])
            return (copy, headers != nil)
        }

        /// The headers; nil where nats.c cannot read them.
        private static func headers(of message: OpaquePointer) -> NATSHeaders? {
            var names: UnsafeMutablePointer<UnsafePointer<CChar>?>?
            var count: Int32 = 0
            let status = natsMsgHeader_Keys(message, &names, &count)
            guard status == NATS_OK, let names else { return status == NATS_OK || status == NATS_NOT_FOUND ? [:] : nil }
            defer { free(names) }
            var fields: [NATSHeaders.Field] = []
            for case let name? in UnsafeBufferPointer(start: names, count: max(0, Int(clamping: count))) {
                var values: UnsafeMutablePointer<UnsafePointer<CChar>?>?
                var valueCount: Int32 = 0
                guard natsMsgHeader_Values(message, name, &values, &valueCount) == NATS_OK, let values else { continue }
                defer { free(values) }
                for case let value? in UnsafeBufferPointer(start: values, count: max(0, Int(clamping: valueCount))) {
                    fields.append(NATSHeaders.Field(String(cString: name), String(cString: value)))
                }
            }
            return NATSHeaders(fields)
        }
    }
#endif
