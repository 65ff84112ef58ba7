/// The requests of a batch that have not been answered yet.
struct Unanswered: Sendable {
    private let batch: Batch
    private var number = 0
    /// The first word of the next request.
    private var first = 0

    init(_ batch: Batch) {
        self.batch = batch
    }

    /// What is wrong behind the last request, once that has been taken.
    var error: ProtocolError? { number == batch.extents.count ? batch.error : nil }

    /// Takes the next request, as one of `client`; nil where none is left.
    mutating func next(of client: Client) -> Request? {
        guard number < batch.extents.count else { return nil }
        defer {
            first = batch.extents[number].end
            number += 1
        }
        return Request(client, batch, number, first: first)
    }
}
