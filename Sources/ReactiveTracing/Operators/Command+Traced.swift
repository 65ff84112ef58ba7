// SPDX-License-Identifier: MIT
#if Tracing
    public import ReactiveCommands
    import ReactiveSignals
    public import Tracing

    extension Command {
        /// Returns a command that records a span for the work of each execution.
        ///
        /// The span belongs to the `ServiceContext.current` of the call that submits the execution. It begins with the
        /// work, so it does not contain the time for which the execution waits. The work sees the span in
        /// `ServiceContext.current`.
        ///
        /// - Parameters:
        ///   - name: The name of the operation. It should have few different values.
        ///   - tracer: Starts the spans.
        /// - Returns: A command that shares this command's strategy, states and observers.
        public func traced(_ name: String, by tracer: any Tracer = InstrumentationSystem.tracer) -> Command {
            wrapping { $0.traced(name, by: tracer) }.propagating(ServiceContext.$current)
        }
    }
#endif
