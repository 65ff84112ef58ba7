// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Observer {
    /// Receives the value of `result` and completes, or fails.
    @inlinable
    package func receive(_ result: Result<Value, Failure>) {
        switch result {
        case .success(let value):
            receive(value)
            receive(termination: .completed)
        case .failure(let error): receive(termination: .failed(error))
        }
    }
}
