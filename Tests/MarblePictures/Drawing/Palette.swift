// SPDX-License-Identifier: MIT
/// The colours of a drawing.
package struct Palette: Sendable {
    let line: String
    let text: String
    let faint: String
    let box: String
    let edge: String
    /// The fill colours of values. Equal values have the same colour everywhere.
    let marbles: [String]

    package static let light = Palette(
        line: "#3a3a3c",
        text: "#1d1d1f",
        faint: "#c7c7cc",
        box: "#f5f5f7",
        edge: "#d2d2d7",
        marbles: ["#8ec5ff", "#ffb3a7", "#a6e3a1", "#ffd97a", "#d5b8ff", "#8fe3dc", "#ffb8de"]
    )

    package static let dark = Palette(
        line: "#d1d1d6",
        text: "#f5f5f7",
        faint: "#55555a",
        box: "#2c2c2e",
        edge: "#48484a",
        marbles: ["#1f5f9e", "#9e4034", "#2f7a34", "#8a6a10", "#6b45a3", "#1c7a73", "#99407a"]
    )

    func marble(_ label: String) -> String {
        // The first letter or digit decides, so that a value and its transformed value look alike.
        let sign = label.unicodeScalars.first { $0.properties.isAlphabetic || $0.properties.numericType != nil }
        return marbles[
            Int(sign.map { $0.properties.lowercaseMapping.unicodeScalars.first?.value ?? 0 } ?? 0) % marbles.count
        ]
    }
}
