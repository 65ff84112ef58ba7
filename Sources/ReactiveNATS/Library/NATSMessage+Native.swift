// SPDX-License-Identifier: MIT
#if NATS
    import CNats
    import Glibc
    import ReactiveSockets

    extension NATSMessage {
        // Safe: the caller owns the message during the call, and everything is copied. This code frees the two arrays
        // of the headers.

        /// Copies a message of nats.c with this subject. `isReadable` is false if nats.c cannot parse its headers.
        static func copying(_ message: OpaquePointer, _ subject: String) -> (message: NATSMessage, isReadable: Bool) {
            let count = unsafe max(0, Int(clamping: natsMsg_GetDataLength(message)))
            let payload = unsafe natsMsg_GetData(message).map { data in
                unsafe Bytes(UnsafeRawBufferPointer(start: data, count: count))
            }
            let reply = unsafe natsMsg_GetReply(message).map { unsafe String(cString: $0) }
            let headers = unsafe headers(of: message)
            let copy = NATSMessage(payload ?? Bytes(), to: subject, reply: reply, headers: headers ?? [:])
            return (copy, headers != nil)
        }

        /// The headers, or nil if nats.c cannot parse them.
        private static func headers(of message: OpaquePointer) -> NATSHeaders? {
            var names: UnsafeMutablePointer<UnsafePointer<CChar>?>?
            var count: Int32 = 0
            let status = unsafe natsMsgHeader_Keys(message, &names, &count)
            guard status == NATS_OK, let names = unsafe names else {
                return status == NATS_OK || status == NATS_NOT_FOUND ? [:] : nil
            }
            defer { unsafe free(names) }
            var fields: [NATSHeaders.Field] = []
            let allNames = unsafe UnsafeBufferPointer(start: names, count: max(0, Int(clamping: count)))
            for index in allNames.indices {
                guard let name = unsafe allNames[index] else { continue }
                var values: UnsafeMutablePointer<UnsafePointer<CChar>?>?
                var valueCount: Int32 = 0
                guard unsafe natsMsgHeader_Values(message, name, &values, &valueCount) == NATS_OK,
                    let values = unsafe values
                else { continue }
                defer { unsafe free(values) }
                let allValues = unsafe UnsafeBufferPointer(start: values, count: max(0, Int(clamping: valueCount)))
                for index in allValues.indices {
                    guard let value = unsafe allValues[index] else { continue }
                    unsafe fields.append(NATSHeaders.Field(String(cString: name), String(cString: value)))
                }
            }
            return NATSHeaders(fields)
        }
    }
#endif
