package wallfinder.observation;

import org.jspecify.annotations.Nullable;

/// All reasons to trust a result less: the id of each in `run.json`, and what to do about it. A
/// wall that was almost reached is a [Caveat.Near].
public enum Doubt {
    ANSWERS_ARE_ERRORS(
            "answers-are-errors",
            "without load %s of the answers are bad, too (%s): correct the URL or the credentials, or name the good answers by expect (--expect)"),
    BEGIN_NOT_FOUND(
            "begin-not-found",
            "the load command never printed what `measure` calls its begin, %s: what it did before it counted is among its connections and its CPU time"),
    BUSY_HOST(
            "busy-host",
            "other programs took %s of the CPU time while the service waited for it: repeat on a quieter host"),
    CLIMB_DIFFERS(
            "climb-differs",
            "the climb measured %,.1f/s at the wall, and the pairs without the remedy %,.1f/s (median): the ladder shows the pairs'; a longer duration makes both steadier"),
    CONNECTIONS_BUSY(
            "connections-busy",
            "%s of the requests came due while all %d connections were busy: with more of them (-c) the service would have got its requests when they were due"),
    DOES_NOT_ADD_UP(
            "does-not-add-up",
            "%s: do not trust these numbers, and report it with the run's folder"),
    DOES_NOT_FIT("does-not-fit", "%s"),
    DRIFT("drift", "%s, over %d buckets of %.0f s: a longer run would not find what this one did"),
    GENERATOR_PAUSED(
            "generator-paused",
            "the generator itself stood still for up to %s%s: the longest response time, %s, may be its own; give it a CPU of its own, or use a quieter host"),
    LATE_GENERATOR(
            "late-generator",
            "the generator's threads waited for a CPU in %s of the time, which is in the latencies: give it a CPU of its own"),
    LEFTOVERS("leftovers", "Something may still run %s. See wallfinder-* under /sys/fs/cgroup."),
    LISTENS_ON_NOTHING(
            "listens-on-nothing", "process %d listens on no port: name the one that does"),
    LITTLES_LAW(
            "littles-law",
            "the exchanges' time gives %.1f connections at work, not %d: some were idle or not counted"),
    LOAD_EXIT(
            "load-exit",
            "the load command ended with exit code %d; its log is %s, which ends with: %s"),
    LOAD_STOPPED(
            "load-stopped",
            "the load command ran longer than its duration of %.1f s and was ended: raise `duration`, or give it less to do; its log is %s"),
    MEASURE_NOT_FOUND(
            "measure-not-found",
            "the load command printed nothing that `measure` finds by its %s: that is not known"),
    MEMORY_FLOOR(
            "memory-floor",
            "It ended early: the host had %,d MiB of memory left, and is to keep %,d."),
    NO_CGROUPS("no-cgroups", "Services run without cgroups, so without limits: %s."),
    NO_CLASS_ARCHIVE(
            "no-class-archive",
            "the JVM of %s, %s, used %s: its start and its memory do not compare with those of one that has an archive of classes; java -Xshare:dump makes one"),
    NO_IO_URING("no-io-uring", "%s. epoll drives instead, and needs more CPU for a request."),
    NO_NAMESPACES(
            "no-namespaces",
            "Both ends share the host's loopback, its counters and its settings: %s. Run as root, or allow user namespaces."),
    NOISY_HOST("noisy-host", "the hypervisor took %s of the CPU time: repeat on a quieter host"),
    NOT_STEADY(
            "not-steady",
            "the service was still getting faster, or its JIT compilers were busy, after %.0f s of warm-up: raise warmup"),
    OPENING_STALLED(
            "opening-stalled",
            "It ended early: %s. The service takes no more connections, and the others were not tried."),
    PEER_CLOCKS(
            "peer-clocks",
            "%s: the server's figures may belong to another moment of the load; keep both clocks by NTP (chronyc tracking, timedatectl)"),
    PEER_NOT_JOINED(
            "peer-not-joined",
            "what was watched on the other host is not used: %s. The server's walls are those that the client alone can see"),
    PEER_OTHER_SERVICE(
            "peer-other-service",
            "the load went to port %d, and what was watched (%s) does not listen there: unless something passes it on, it is another service"),
    PEER_PARTIAL(
            "peer-partial",
            "the server was watched in only %.0f %% of the load's time: begin the watch before the load, and end it after"),
    RATE_UNKNOWN("rate-unknown", "the load command has no `measure`: its rate is not known"),
    RESOLVER_NOT_APPLIED(
            "resolver-not-applied",
            "Names are looked up as the host does it, not as the experiment has it."),
    RETRANSMITS(
            "retransmits",
            "the %s sent %,.0f of %,.0f segments again: packets were lost or late on the way, and the latencies hold that"),
    SAMPLES_MISSING("samples-missing", "%s%s"),
    SENT_LATE(
            "sent-late",
            "one message in a hundred was sent %s late or more, which is in the response times and not in the service times: give the generator a CPU of its own, or more threads (-t)"),
    SERVER_ELSEWHERE(
            "server-elsewhere",
            "the service is on another host, whose limits are unknown here: run doctor --port %d there"),
    SERVER_PROCESS_HIDDEN("server-process-hidden", "%s: %s"),
    SERVICE_ENDED("service-ended", "%s ended after %.1f s: what was seen until then is judged"),
    SHARED_CPUS(
            "shared-cpus",
            "generator and service shared %d CPU(s): the service could have used what the generator took"),
    SHORT_RUN(
            "short-run",
            "only %d answers in %.1f s: measure longer before trusting the high percentiles"),
    SHORT_WATCH(
            "short-watch",
            "it was watched for %.1f s only: what happens now and then was hardly seen"),
    SOCKETS_DIFFER(
            "sockets-differ",
            "the kernel counted %,d established sockets on the %s, and the generator %,d connections alive: %s"),
    SPINNING_THREADS(
            "spinning-threads",
            "%.0f thread(s) of %s used a CPU each before the load began: they spin, and are not taken for busy workers"),
    STALLS_HIDDEN(
            "stalls-hidden",
            "in %s of the time a connection waited longer than p99 (%s; longest %s): a closed loop asks nothing while it waits, so its percentiles hide that; at a constant rate (-R) they show it"),
    SYSCTL_NOT_APPLIED(
            "sysctl-not-applied",
            "%s of the %s stays at the host's %s instead of %s: the host is never changed."),
    WHOLE_LIFE(
            "whole-life",
            "the load command does not tell in which time it sent its requests: its rate is that over its whole life of %.1f s, its start and end included; add `measure: { seconds: ... }`");

    private final String id;
    private final String advice;

    /// @param advice with a place for each figure, in the form of [java.util.Formatter]
    Doubt(String id, String advice) {
        this.id = id;
        this.advice = advice;
    }

    String id() {
        return id;
    }

    /// @param figures those of the advice, in its order
    public Caveat caveat(Object... figures) {
        return about(null, figures);
    }

    /// @param subject the program or counter that the doubt is about, or null for the whole
    public Caveat about(@Nullable String subject, Object... figures) {
        return new Caveat.Raised(this, subject, advice.formatted(figures));
    }
}
