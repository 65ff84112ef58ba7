// SPDX-License-Identifier: MIT
#if Metrics
    import CoreMetrics

    /// Creates metrics whose labels have a common prefix.
    struct MetricsNamespace {
        let prefix: String
        let dimensions: [(String, String)]
        let factory: any MetricsFactory

        func counter(_ name: String) -> Counter {
            Counter(label: label(name), dimensions: dimensions, factory: factory)
        }

        func meter(_ name: String) -> Meter { Meter(label: label(name), dimensions: dimensions, factory: factory) }

        func timer(_ name: String) -> Timer { Timer(label: label(name), dimensions: dimensions, factory: factory) }

        private func label(_ name: String) -> String { "\(prefix).\(name)" }
    }
#endif
