// SPDX-License-Identifier: MIT
extension Marbles {
    /// How this line differs from the expected one, as lines of text; nil if it does not.
    ///
    ///     expected  -a-b-|
    ///     received  -a--b|
    ///                  ^^
    ///     frame 3: expected b, received nothing
    ///     frame 4: expected nothing, received b
    public func difference(from expected: Marbles) -> String? {
        if self == expected { return nil }
        let frames = (cells + expected.cells).map(\.frame)
        let range = min(0, frames.min() ?? 0)...(frames.max() ?? 0)
        var (first, second, pointers) = ("expected  ", "received  ", "          ")
        var sentences: [String] = []
        for frame in range {
            let (wanted, got) = (expected.text(at: frame), text(at: frame))
            let width = max(1, wanted.count, got.count)
            first += wanted.isEmpty ? String(repeating: "-", count: width) : wanted.padded(to: width)
            second += got.isEmpty ? String(repeating: "-", count: width) : got.padded(to: width)
            pointers += (wanted == got ? "" : "^").padded(to: width)
            if wanted != got {
                sentences.append("frame \(frame): expected \(wanted.orNothing), received \(got.orNothing)")
            }
        }
        while pointers.last == " " { pointers.removeLast() }
        return ([first, second, pointers] + sentences).joined(separator: "\n")
    }

    private func text(at frame: Int) -> String { cells.first { $0.frame == frame }?.description ?? "" }
}

extension String {
    fileprivate var orNothing: String { isEmpty ? "nothing" : self }

    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: width - count) }
}
