// SPDX-License-Identifier: MIT
/// The requests of a batch that are not answered yet.
struct Unanswered: Sendable {
    private let batch: Batch
    private var number = 0
    /// The first word of the next request.
    private var first = 0

    init(_ batch: Batch) {
        self.batch = batch
    }

    /// The error after the last request. It is `nil` until `next(of:)` has returned that request.
    var error: ProtocolError? { number == batch.extents.count ? batch.error : nil }

    /// Removes and returns the next request. Returns `nil` if none is left.
    mutating func next(of client: Client) -> Request? {
        guard number < batch.extents.count else { return nil }
        defer {
            first = batch.extents[number].end
            number += 1
        }
        return Request(client, batch, number, first: first)
    }
}
