package wallfinder.load;

/// The times of one thread of this process.
///
/// @param cpuNanos on a CPU
/// @param waitingNanos runnable without a CPU
record ThreadTimes(long cpuNanos, long waitingNanos) {
    static final ThreadTimes NONE = new ThreadTimes(0, 0);

    ThreadTimes since(ThreadTimes earlier) {
        return new ThreadTimes(cpuNanos - earlier.cpuNanos, waitingNanos - earlier.waitingNanos);
    }
}
