/// Keeps an object for the rest of the process's life: for what a forked child must not give back, since it is the parent's.
package func keepForever(_ object: some AnyObject) {
    // Safe: the count is never given back.
    _ = unsafe Unmanaged.passRetained(object)
}
