import Foundation
import MarblePictures

// Draws every picture, light and dark, and writes the documentation pages that show them, into the folder that is given:
// a catalog for docc. PAGES is where docc has put the pages of `Signal`: of an operator with several forms each has its own.
guard CommandLine.arguments.count == 3 else {
    FileHandle.standardError.write(Data("usage: marble-pictures FOLDER PAGES\n".utf8))
    exit(64)
}
do {
    let pages = try FileManager.default.contentsOfDirectory(atPath: CommandLine.arguments[2])
    try Catalog(folder: URL(fileURLWithPath: CommandLine.arguments[1]), pages: pages).write()
} catch {
    FileHandle.standardError.write(Data("marble-pictures: \(error)\n".utf8))
    exit(1)
}
