// SPDX-License-Identifier: MIT
extension CommandTable {
    /// Adds the commands for publishing and subscribing.
    mutating func addPublishing(_ channels: Channels) {
        add("publish", 3, .replicated) { request in .integer(channels.publish(request[2], to: request[1])) }
        for (prefix, kind) in [("", Client.Kind.channel), ("p", .pattern)] {
            add("\(prefix)subscribe", -2, .whileSubscribed) { request in
                .each(request.words(from: 1).map { request.client.subscribe(kind, to: $0, in: channels) })
            }
            add("\(prefix)unsubscribe", -1, .whileSubscribed) { request in
                if request.count == 1 { return .each(request.client.unsubscribeFromAll(kind)) }
                return .each(request.words(from: 1).map { request.client.unsubscribe(kind, from: $0) })
            }
        }
    }
}
