/// Keeps an object for the rest of the process's life: for what a forked child must not give back, since it is the parent's.
package func keepForever(_ object: some AnyObject) {
    _ = Unmanaged.passRetained(object)
}
