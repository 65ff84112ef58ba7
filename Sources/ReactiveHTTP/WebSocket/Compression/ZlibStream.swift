// SPDX-License-Identifier: MIT
#if HTTP
    import CZlib
    import ReactiveSockets

    /// The state of zlib for one direction. One thread at a time uses it.
    ///
    /// Safe: the memory is deallocated with this value. zlib reads and writes within the counts during a call.
    @safe
    struct ZlibStream: ~Copyable {
        /// zlib requires that its state does not move.
        let state: UnsafeMutablePointer<z_stream>

        /// Returns `nil` if `prepare` fails, because the process is out of memory.
        init?(_ prepare: (UnsafeMutablePointer<z_stream>) -> Int32) {
            let state = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
            unsafe state.initialize(to: z_stream())
            if unsafe prepare(state) != Z_OK {
                unsafe state.deallocate()
                return nil
            }
            unsafe self.state = state
        }

        deinit { unsafe state.deallocate() }

        /// Lets zlib process input into a buffer of `capacity` bytes, and removes what it has consumed.
        ///
        /// - Parameter step: Calls zlib once. The argument says whether zlib sees all of the input.
        func process(_ input: inout Bytes, into capacity: Int, _ step: (_ seesAll: Bool) -> Int32) -> (Bytes, Int32) {
            var result = Z_OK
            var consumed = 0
            let output = unsafe Bytes(capacity: capacity) { target in
                unsafe input.withUnsafeBytes { source in
                    let given = min(source.count, Int(UInt32.max))
                    unsafe state.pointee.next_in = unsafe UnsafeMutablePointer(
                        mutating: source.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    )
                    unsafe state.pointee.avail_in = UInt32(given)
                    unsafe state.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    unsafe state.pointee.avail_out = UInt32(capacity)
                    result = step(given == source.count)
                    consumed = unsafe given - Int(state.pointee.avail_in)
                    return unsafe capacity - Int(state.pointee.avail_out)
                }
            }
            input = consumed == input.count ? Bytes() : input.dropFirst(consumed)
            return (output, result)
        }
    }
#endif
