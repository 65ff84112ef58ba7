// SPDX-License-Identifier: MIT
import Foundation
import MarblePictures

// Draws every picture in light and dark colours, and writes the documentation pages that show them into FOLDER, a
// catalogue for docc. PAGES is the folder with docc's pages of `Signal`, where each overload of an operator has its
// own page.
let arguments = CommandLine.arguments.dropFirst()
do {
    switch (arguments.first, arguments.count) {
    case ("operators", 3):
        let pages = try FileManager.default.contentsOfDirectory(atPath: arguments[3])
        try Catalog(folder: URL(fileURLWithPath: arguments[2]), pages: pages).writeOperators()
    case ("strategies", 2):
        try Catalog(folder: URL(fileURLWithPath: arguments[2]), pages: []).writeStrategies()
    default:
        let usage = "usage: marble-pictures operators FOLDER PAGES\n       marble-pictures strategies FOLDER\n"
        FileHandle.standardError.write(Data(usage.utf8))
        exit(64)
    }
} catch {
    FileHandle.standardError.write(Data("marble-pictures: \(error)\n".utf8))
    exit(1)
}
