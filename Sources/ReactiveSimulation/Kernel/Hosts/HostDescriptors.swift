// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets

/// The descriptors of one process. A new descriptor has the lowest free number, as POSIX requires.
struct HostDescriptors {
    private var objects: [KernelObject?] = []
    /// Every index below it is in use.
    private var firstFree = 0
    /// The number of descriptors that may be open at the same time (`RLIMIT_NOFILE`). Lowering it closes no descriptor.
    var limit: Int

    init(limit: Int) { self.limit = limit }

    /// Opens a descriptor for an object. Returns its number, or `-EMFILE`.
    mutating func open(_ object: KernelObject) -> Int32 {
        if isFull { return -EMFILE }
        if firstFree == objects.count { objects.append(object) } else { objects[firstFree] = object }
        object.descriptor = SimulatedDescriptors.first + Int32(firstFree)
        object.references += 1
        firstFree += 1
        return object.descriptor
    }

    /// Gives an open object another number (`dup2`). The number must be free. Returns the number, or `-EBADF` if it is
    /// not below the limit.
    mutating func open(_ object: KernelObject, at descriptor: Int32) -> Int32 {
        let index = Int(descriptor) - Int(SimulatedDescriptors.first)
        guard (0..<limit).contains(index) else { return -EBADF }
        while objects.count <= index { objects.append(nil) }
        objects[index] = object
        object.references += 1
        return descriptor
    }

    /// The lowest free number that is not below `lowest`.
    func firstFree(from lowest: Int32) -> Int32 {
        var descriptor = max(lowest, SimulatedDescriptors.first)
        while self[descriptor] != nil { descriptor += 1 }
        return descriptor
    }

    /// Whether ``open(_:)`` would fail.
    var isFull: Bool {
        mutating get {
            while firstFree < objects.count, objects[firstFree] != nil { firstFree += 1 }
            return firstFree >= limit
        }
    }

    /// The object of an open descriptor, or nil.
    @inline(__always)
    subscript(descriptor: Int32) -> KernelObject? {
        let index = Int(descriptor) - Int(SimulatedDescriptors.first)
        return objects.indices.contains(index) ? objects[index] : nil
    }

    /// Frees a number, and returns its object, which may have other numbers.
    mutating func close(_ descriptor: Int32) -> KernelObject? {
        let index = Int(descriptor) - Int(SimulatedDescriptors.first)
        guard objects.indices.contains(index), let object = objects[index] else { return nil }
        objects[index] = nil
        object.references -= 1
        if index < firstFree { firstFree = index }
        return object
    }

    /// The open numbers and their objects, in order.
    var open: [(descriptor: Int32, object: KernelObject)] {
        objects.enumerated().compactMap { index, object in
            object.map { (SimulatedDescriptors.first + Int32(index), $0) }
        }
    }
}
