// SPDX-License-Identifier: MIT
#if TLS
    import Glibc
    import ReactiveSockets
    import SchedulerConformance

    /// Measures the heap after every so many operations, to detect growth. It has a meaning only while no other test runs,
    /// so short tests measure nothing.
    final class HeapTrend {
        private let interval: Int
        private var operations = 0
        private var figures: [Int] = []

        init(every interval: Int) { self.interval = interval }

        /// Counts an operation, and prints the heap and the resident memory after each interval.
        func count(_ what: String) {
            operations += 1
            guard operations % interval == 0 else { return }
            figures.append(Self.bytesInUse)
            print("\(what): \(operations) done, heap \(Self.bytesInUse / 1_024) KiB, resident \(Self.residentKiB) KiB")
        }

        /// The bytes between the first and the last figure.
        var growth: Int { (figures.last ?? 0) - (figures.first ?? 0) }

        /// The bytes of the heap as AddressSanitizer's malloc counts them. Another malloc has no figure that Swift can read.
        private static var bytesInUse: Int {
            guard let symbol = dlsym(nil, "__sanitizer_get_current_allocated_bytes") else { return residentKiB * 1_024 }
            return unsafeBitCast(symbol, to: (@convention(c) () -> Int).self)()
        }

        private static var residentKiB: Int {
            let fields = ProcessResources.contents("/proc/self/statm")?.split(separator: " ") ?? []
            return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4
        }
    }
#endif
