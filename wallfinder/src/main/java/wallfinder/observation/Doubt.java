package wallfinder.observation;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// All reasons to trust a result less, with advice. The name of a constant is its id in `run.json`.
/// A wall that was almost reached is a [Caveat.Near].
public enum Doubt {
    ANSWERS_ARE_ERRORS(
            "%s of the answers are bad even without load (%s): correct the URL or the credentials, or define good answers by expect (--expect)"),
    BEGIN_NOT_FOUND(
            "the load command never printed the `begin` of `measure`, %s: its connections and its CPU time include the time before it counted"),
    BUSY_ALONE(
            "other programs took %s of the time in which single requests were sent: an answer alone took longer than it should, so a wall may be missed; repeat on a quieter host"),
    BUSY_HOST(
            "other programs took %s of the CPU time while the service waited for it: repeat on a quieter host"),
    CLIMB_DIFFERS(
            "the climb measured %,.1f/s at the wall, but the pairs without the remedy %,.1f/s (median): the ladder shows the value of the pairs; a longer duration makes both steadier"),
    CONNECTIONS_BUSY(
            "%s of the requests came due while all %d connections were busy: use more connections (-c) to send requests when they are due"),
    DOES_NOT_ADD_UP("%s: do not trust these numbers, and report it with the run's folder"),
    DOES_NOT_FIT("%s"),
    DRIFT("%s, over %d buckets of %.0f s: a longer run would give another result"),
    GENERATOR_PAUSED(
            "the generator itself paused for up to %s%s: the longest response time, %s, may be this pause; give the generator its own CPU, or use a quieter host"),
    GENERATOR_LOST(
            "the generator on %s ended after %.1f s (%s): the load ended then, and what is known of it is kept; measure again"),
    LATE_GENERATOR(
            "the generator's threads waited for a CPU for %s of the time, which adds to the latencies: give the generator its own CPU"),
    LEFTOVERS("Parts of an earlier run may remain (%s). See wallfinder-* under /sys/fs/cgroup."),
    LISTENS_ON_NOTHING("process %d listens on no port: name the process that does"),
    LITTLES_LAW(
            "by Little's law %.1f connections were in use, not %d: some were idle or not counted"),
    LOAD_EXIT("the load command ended with exit code %d; its log is %s, which ends with: %s"),
    LOAD_STOPPED(
            "the load command ran longer than its duration of %.1f s and was stopped: raise `duration`, or give it less to do; its log is %s"),
    LOAD_TOO_SHORT(
            "%,d requests had no answer even %.0f s after the load, and %,d were answered: if those answers are only late, the rate is wrong by up to that share; a load longer than %.1f s shows it (-d)"),
    LOST_TICKS(
            "the kernel lost %s of the ticks of the services' CPUs, as if the hypervisor had taken that time: repeat on a quieter host"),
    MEASURE_NOT_FOUND(
            "the load command printed nothing that matches the %s of `measure`: that value is unknown"),
    MEMORY_FLOOR(
            "The load ended early: the host had %,d MiB of memory left, less than the floor of %,d MiB."),
    NO_CGROUPS("Services run without cgroups, so without limits: %s."),
    NO_CLASS_ARCHIVE(
            "the JVM of %s, %s, used %s: do not compare its start and its memory with those of a JVM with a class archive; java -Xshare:dump creates one"),
    NO_IO_URING("%s. The generator uses epoll instead, which needs more CPU for each request."),
    NO_KERNEL_SAMPLES(
            "the kernel gives no samples of what the CPUs execute (%s), so its own time and that of programs that are not a JVM is not divided: run as root or with CAP_PERFMON, or set kernel.perf_event_paranoid to 0"),
    NO_NAMESPACES(
            "Both ends share the host's loopback, its counters and its settings: %s. Run as root, or allow user and network namespaces."),
    NO_STACKS("the methods of a JVM are unknown: %s"),
    NOISY_HOST("the hypervisor took %s of the CPU time: repeat on a quieter host"),
    NOT_POISSON(
            "the gaps between the requests differ by up to %s from the Poisson process that was asked for (%,d gaps): give the generator its own CPU, or more threads (-t)"),
    NOT_STEADY(
            "the service was still getting faster, or its JIT compilers were busy, after %.0f s of warm-up: raise warmup"),
    OPENING_STALLED(
            "The load ended early: %s. The service accepts no more connections; the others were not tried."),
    PEER_CLOCKS("%s: the server's figures may belong to another moment of the load; %s"),
    PEER_CLOCK_JUMPED(
            "the clock of the other host moved by %.3f s against this one's during the load, as if a machine was suspended: the server's figures may belong to another moment of the load; measure again"),
    PEER_LOST(
            "the agent on the other host ended %.1f s after the start of the measurement (%s): from then on the server was not watched; measure again"),
    PEER_NOT_JOINED(
            "what was watched on the other host is not used: %s. The diagnosis knows only those walls of the server that the client sees"),
    PEER_OTHER_SERVICE(
            "the load went to port %d, but the watched service (%s) does not listen there: it is another service, unless a proxy forwards the load"),
    PEER_PARTIAL(
            "the watch covered only %.0f %% of the load: start it before the load, and end it after"),
    RATE_UNKNOWN("the load command has no `measure`: its rate is unknown"),
    REQUESTS_REPEATED(
            "%,d of %,d requests were sent again, because the server closed a reused connection instead of answering: it may drop requests; with --no-keepalive they would be errors"),
    RESOLVER_NOT_APPLIED(
            "Names are looked up with the host's settings, not with those of the experiment."),
    RETRANSMITS(
            "the %s retransmitted %,.0f of %,.0f segments: packets were lost or late on the path, which adds to the latencies"),
    SAMPLES_MISSING("%s%s"),
    SENT_LATE(
            "one %s in a hundred was sent %s late or more, which adds to the response times but not to the service times: give the generator its own CPU, or more threads (-t)"),
    SERVER_ELSEWHERE(
            "the service is on another host, whose limits are unknown here: run doctor --port %d there"),
    SERVER_PROCESS_HIDDEN("%s: %s"),
    SERVICE_ENDED("%s ended after %.1f s: the diagnosis covers the time until then"),
    SHARED_CPUS(
            "generator and service shared their CPUs (%d): the service could have used what the generator took"),
    SHORT_RUN("only %d answers in %.1f s: measure longer before trusting the high percentiles"),
    SHORT_WATCH("the watch lasted only %.1f s: it may have missed rare events"),
    SLOW_ALONE_UNKNOWN(
            "the mean response time is %s, and was %s alone; the service may have its slow answers without load, too, and %,d requests alone are too few to rule that out: a load with one connection (-c 1) sends more of them"),
    SLOW_START(
            "only the first %s slow (mean response time %s, later %s), as if the service was cold: warm it up first (--warmup 10s)"),
    SOCKETS_DIFFER(
            "the kernel counted %,d established sockets on the %s, and the generator %,d connections alive: %s"),
    SPINNING_THREADS(
            "threads that spin (%.0f) in %s: each used a CPU before the load began, so they do not count as busy workers"),
    STALLS_HIDDEN(
            "in %s of the time a connection waited longer than p99 (%s; longest %s): a closed loop sends nothing while it waits, so its percentiles hide that; a constant rate (-R) shows it"),
    SYSCTL_HIDDEN(
            "%s of the %s was not set to %s: this kernel hides net.core in the network namespace of a user; as root it can be set"),
    SYSCTL_NOT_APPLIED(
            "%s of the %s stays at the host's %s instead of %s: Wallfinder never changes the host."),
    THREADS_HIDDEN(
            "what the threads of %s wait for is unknown (%s), and so is a part of the time of an answer: run as root to see it"),
    WHOLE_LIFE(
            "the load command does not report for how long it sent requests: its rate is over its whole life of %.1f s, including start and end; add `measure: { seconds: ... }`");

    private final String id = name().toLowerCase(Locale.ROOT).replace('_', '-');
    private final String advice;

    /// @param advice a format of [java.util.Formatter]
    Doubt(String advice) {
        this.advice = advice;
    }

    String id() {
        return id;
    }

    /// @param figures the arguments of the advice
    public Caveat caveat(Object... figures) {
        return about(null, figures);
    }

    /// @param subject the program or counter in doubt, or null for the whole measurement
    public Caveat about(@Nullable String subject, Object... figures) {
        return new Caveat.Raised(this, subject, advice.formatted(figures));
    }
}
