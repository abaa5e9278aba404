package wallfinder.diagnosis;

/// What would have to be seen to judge a wall, and was not.
public enum Missing {
    SERVER(
            "the server was not watched",
            "run on the server's host, as root or as the user of the service, or let load watch there"
                    + " (load --server, load --peer)"),
    OWN_COUNTERS(
            "the counters cover the whole host",
            "run the service as an experiment, in its own namespaces"),
    CGROUP(
            "no cgroup of a service was watched",
            "run the service as an experiment or in a container, in its own cgroup"),
    READINGS(
            "some readings of the kernel are missing",
            "run as root (an old kernel may not have these counters)"),
    BUSIEST_THREAD(
            "a thread that was busy before the load may hide one that was full under it",
            "begin the watch just before the load, or let load begin it (load --server)"),
    CLIENT(
            "no client was seen, so no latency",
            "drive the service with load, or let load see both ends (load --server)"),
    ANSWERS(
            "the answers were not seen",
            "drive the service with HTTP requests from load or an experiment"),
    GOOD_ANSWERS(
            "no request was answered",
            "send a single request (curl), and make it succeed before you measure"),
    ALONE(
            "what the service does without load was not seen",
            "let load or find watch the service from its first request on; give all requests of a mix"
                    + " the same weight"),
    JVM(
            "a JVM did not report its threads",
            "run as root or as the JVM's user, and allow it to be attached to"),
    COLLECTOR(
            "there is a JVM, and no thread of its collector was recognized",
            "run the service on a HotSpot JVM of Java 9 or later"),
    FULL_COLLECTIONS(
            "a JVM did not count its full collections",
            "search its log for OutOfMemoryError, or start it with another collector and without"
                    + " -XX:-UsePerfData"),
    GENERATOR(
            "it would rest on rates and latencies, which show the generator's speed",
            "give the generator more threads (-t), its own CPUs or another host");

    private final String reason;
    private final String advice;

    Missing(String reason, String advice) {
        this.reason = reason;
        this.advice = advice;
    }

    public String reason() {
        return reason;
    }

    /// What the user can do to see it.
    public String advice() {
        return advice;
    }
}
