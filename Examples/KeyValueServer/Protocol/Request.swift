// SPDX-License-Identifier: MIT
import ReactiveSockets

/// One client's request: a command's name and its arguments. Index 0 is the name.
///
/// The arguments share the memory of their chunk. Call `compacted()` on arguments that you store.
struct Request: Sendable {
    let client: Client
    let name: CommandName
    private let batch: Batch
    private let first: Int
    private let end: Int

    init(_ client: Client, _ batch: Batch, _ number: Int, first: Int) {
        self.client = client
        self.batch = batch
        self.first = first
        let extent = batch.extents[number]
        name = extent.name
        end = extent.end
    }

    /// The number of words, including the name.
    var count: Int { end - first }

    /// A word, unchanged.
    subscript(index: Int) -> Bytes {
        precondition(index >= 0 && index < count, "word \(index) of a request of \(count)")
        return batch[first + index]
    }

    /// The words from `index` on.
    func words(from index: Int) -> some Collection<Bytes> {
        (min(index, count)..<count).lazy.map { self[$0] }
    }

    /// A word as an option, in lower case. As in Redis, it ends at its first NUL byte.
    func option(_ index: Int) -> CommandName { CommandName(self[index].upToNull) }

    /// Whether the request is a line of an HTTP request. A web page can let a browser send one with commands in its body.
    ///
    /// As in Redis, these are the method POST, and the field `Host`, which browsers send with every method.
    var isOfHTTP: Bool {
        let name = option(0)
        return name == CommandName("post") || name == CommandName("host:")
    }

    /// A word as a number.
    ///
    /// - Throws: `notAnInteger` if the word is not a number.
    func integer(_ index: Int) throws(CommandFailure) -> Int {
        guard let number = Decimal.parse(self[index]) else { throw .notAnInteger }
        return number
    }
}
