// SPDX-License-Identifier: MIT
extension CommandTable {
    /// The commands of a server with this store and these channels.
    static func all(_ store: Store, _ channels: Channels) -> CommandTable {
        var table = CommandTable()
        table.addStrings(store)
        table.addCounters(store)
        table.addKeys(store)
        table.addExpiry(store)
        table.addPublishing(channels)
        table.addConnection()
        table.addClients()
        table.addServer(store)
        return table
    }
}
