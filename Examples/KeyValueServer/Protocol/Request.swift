import ReactiveSockets

/// One client's request: a command's name and its arguments. Index 0 is the name.
///
/// The arguments share the memory of the chunk that they came in. What is kept of them is to be `compacted()`.
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

    /// How many words it has, the name among them.
    var count: Int { end - first }

    /// A word as it came.
    subscript(index: Int) -> Bytes {
        precondition(index >= 0 && index < count, "word \(index) of a request of \(count)")
        return batch[first + index]
    }

    /// The words from `index` on.
    func words(from index: Int) -> some Collection<Bytes> {
        (min(index, count)..<count).lazy.map { self[$0] }
    }

    /// A word as an option, whatever its case. It ends at its first NUL byte, as options in Redis do.
    func option(_ index: Int) -> CommandName { CommandName(self[index].upToNull) }

    /// A word as a number.
    func integer(_ index: Int) throws(CommandFailure) -> Int {
        guard let number = Decimal.parse(self[index]) else { throw .notAnInteger }
        return number
    }
}
