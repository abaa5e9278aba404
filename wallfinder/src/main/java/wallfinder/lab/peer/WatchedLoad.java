package wallfinder.lab.peer;

/// The load under which a service is watched.
public enum WatchedLoad {
    /// The service may get requests at any time.
    OF_OTHERS,

    /// The service gets its first request only after the watch has begun.
    OURS,

    /// The same, and the requests are sent one at a time, which is over in a second or two.
    ONE_AT_A_TIME;

    /// Whether the watch begins while the service gets no requests.
    boolean beginsUnloaded() {
        return this != OF_OTHERS;
    }
}
