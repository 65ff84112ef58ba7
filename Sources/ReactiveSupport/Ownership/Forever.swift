// SPDX-License-Identifier: MIT
/// Retains an object for the rest of the process's life. A forked child must not release objects of the parent.
package func keepForever(_ object: some AnyObject) {
    // Safe: the reference is never released.
    _ = unsafe Unmanaged.passRetained(object)
}
