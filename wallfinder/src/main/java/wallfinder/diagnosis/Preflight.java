package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.WallId;
import wallfinder.observation.Bound;
import wallfinder.observation.End;
import wallfinder.observation.RequestCost;

/// Computes from the limits and a plan at which number each limit binds.
public final class Preflight {
    /// Kernel memory of a TCP socket without data (measured on Linux 6.18).
    static final double SOCKET_BYTES = 4_100;

    /// The ports from 1024 to 65535.
    private static final double PORTS_MAX = 64_512;

    /// This limit is no wall: nothing fails there.
    private static final String TABLE = "socket-table";

    /// A plan that just fits soon reaches the limit again, so the advice adds a quarter.
    private static final double ROOM = 1.25;

    private static final String AT_ONCE = "connections";
    private static final String OPENED = "new connections/s";
    private static final String REQUESTS = "requests/s";
    private static final String REUSE =
            "reuse connections (keep-alive): read responses to their end, and pool";
    private static final String PROBE = "what a request costs is not known: --probe measures it";

    private final LoadNeeds plan;
    private final RequestCost cost;
    private final List<Limit> limits = new ArrayList<>();

    private Preflight(LoadNeeds plan, RequestCost cost) {
        this.plan = plan;
        this.cost = cost;
    }

    /// All limits of the plan. The first to bind comes first; limits with unknown needs come last.
    public static List<Limit> limits(LoadNeeds plan, RequestCost cost, List<Bound> bounds) {
        Preflight preflight = new Preflight(plan, cost);
        bounds.forEach(preflight::add);
        if (plan.connections() > 0 && !plan.closedLoop()) {
            preflight.addConnections();
        }
        return inOrder(preflight.limits);
    }

    /// The first to bind comes first.
    public static List<Limit> inOrder(List<Limit> limits) {
        return limits.stream()
                .sorted(
                        Comparator.comparingInt(Preflight::rank)
                                .thenComparing(
                                        Limit::share,
                                        Comparator.comparingDouble(
                                                share -> Double.isNaN(share) ? 0 : -share)))
                .toList();
    }

    private static int rank(Limit limit) {
        return limit.stops() ? 0 : Double.isNaN(limit.share()) ? 2 : 1;
    }

    private void add(Bound bound) {
        switch (bound.kind()) {
            case LOCAL_PORTS -> ports(bound);
            case TIME_WAIT_SOCKETS -> timeWait(bound);
            case GENERATOR_DESCRIPTORS ->
                    add(bound, WallId.FILE_DESCRIPTORS, plan.atOnce(), bound.free(), AT_ONCE, null);
            case PROCESS_DESCRIPTORS -> processDescriptors(bound);
            case HOST_FILES ->
                    add(
                            bound,
                            WallId.FILE_DESCRIPTORS,
                            plan.atOnce(),
                            bound.free() / (plan.oneHost() ? 2 : 1),
                            AT_ONCE,
                            plan.oneHost() ? "both ends are on this host" : null);
            case EPOLL_WATCHES -> watches(bound);
            case SOCKET_BUCKETS -> buckets(bound, 1);
            case SOCKET_BUCKETS_OF_BOTH -> buckets(bound, 2);
            case CGROUP_TASKS, USER_TASKS, HOST_TASKS -> tasks(bound);
            case ACCEPT_QUEUE -> acceptQueue(bound);
            case TRACKED_CONNECTIONS -> tracked(bound);
            case TCP_BUFFERS ->
                    add(
                            bound,
                            WallId.TCP_MEMORY,
                            Double.NaN,
                            bound.free(),
                            "of data in buffers",
                            "idle connections need none");
            case CGROUP_MEMORY ->
                    add(
                            bound,
                            WallId.MEMORY_LIMIT,
                            plan.atOnce(),
                            bound.free() / SOCKET_BYTES,
                            AT_ONCE,
                            "only the kernel's part of a connection; the service's own memory comes"
                                    + " on top");
            case HEAP -> add(bound, WallId.HEAP, Double.NaN, bound.free(), "of live objects", null);
            case CPU_QUOTA -> cpu(bound, WallId.CPU_QUOTA, "CPUs of quota");
            case CPUS -> cpu(bound, WallId.CPU, "CPUs");
            case CONCURRENCY -> pool(bound, WallId.SERVER_CONCURRENCY);
            case CONNECTION_POOL -> pool(bound, WallId.CLIENT_CONNECTIONS);
        }
    }

    private void ports(Bound bound) {
        double free = Math.max(0, bound.limit() * plan.ofOnePort() - used(bound));
        add(
                bound,
                WallId.EPHEMERAL_PORTS,
                plan.atOnce(),
                free,
                AT_ONCE,
                null,
                portMoves(bound, plan.atOnce(), 1, AT_ONCE));
        if (!plan.keepalive() && plan.clientCloses()) {
            double seconds = bound.holdSeconds();
            List<String> moves = new ArrayList<>();
            moves.add(REUSE);
            moves.addAll(portMoves(bound, plan.opensPerSecond(), seconds, OPENED));
            add(
                    bound,
                    WallId.EPHEMERAL_PORTS,
                    plan.opensPerSecond(),
                    free / seconds,
                    OPENED,
                    text(
                            "a port is taken for %.0f s after its connection, where the client"
                                    + " closes first",
                            seconds),
                    moves);
        }
    }

    /// Adds to each command a shell comment that says what the widest range would give.
    private List<String> portMoves(Bound bound, double needs, double seconds, String unit) {
        List<String> moves = new ArrayList<>();
        for (String command : bound.setter().commands()) {
            double then = PORTS_MAX * plan.ofOnePort() / seconds;
            moves.add(command + text(" # then at most %,.0f %s", Math.floor(then), unit));
        }
        double each = bound.limit() * plan.targets() / seconds;
        moves.add(
                Double.isNaN(needs)
                        ? "connect from more addresses (--source A-B)"
                        : text(
                                "connect from %.0f addresses (--source A-B)",
                                Math.ceil(needs / each)));
        return moves;
    }

    private static double used(Bound bound) {
        return Double.isNaN(bound.inUse()) ? 0 : bound.inUse();
    }

    /// The kernel closes further connections without TIME_WAIT, which does not stop the load.
    private void timeWait(Bound bound) {
        if (!plan.keepalive() && bound.end() == (plan.clientCloses() ? End.CLIENT : End.SERVER)) {
            add(
                    bound,
                    WallId.TIME_WAIT_BUCKETS.word(),
                    plan.opensPerSecond(),
                    bound.free() / bound.holdSeconds(),
                    OPENED,
                    false,
                    "stops nothing: further connections are closed without TIME_WAIT");
        }
    }

    private void watches(Bound bound) {
        add(
                bound,
                WallId.FILE_DESCRIPTORS,
                plan.atOnce(),
                bound.free() / (plan.bothWatch() ? 2 : 1),
                AT_ONCE,
                plan.bothWatch()
                        ? "for each user; both ends run as one user, and each may watch a connection"
                        : "for each user; where the service waits by epoll");
    }

    /// The kernel looks for a packet's connection in a chain. The table is sized for chains of one
    /// socket on average. With each further socket per bucket, a lookup compares half a socket
    /// more.
    ///
    /// @param ends the number of ends of a connection that are in the table
    private void buckets(Bound bound, int ends) {
        double hitAt = bound.free() / ends;
        double load = (used(bound) + ends * plan.atOnce()) / bound.limit();
        String then =
                load > 1
                        ? text(": with the plan %.1f on average instead of 1.5", 1 + load / 2)
                        : "";
        String note =
                "stops nothing: above it, a packet's lookup compares more sockets"
                        + then
                        + (ends > 1 ? "; both ends are in this table" : "");
        add(bound, TABLE, plan.atOnce(), hitAt, AT_ONCE, false, note);
    }

    private void processDescriptors(Bound bound) {
        boolean known = cost.descriptors() > 0;
        add(
                bound,
                WallId.FILE_DESCRIPTORS,
                plan.atOnce(),
                bound.free() / (known ? cost.descriptors() : 1),
                AT_ONCE,
                known && cost.descriptors() != 1
                        ? text("%.1f descriptors for each connection", cost.descriptors())
                        : null);
    }

    private void tasks(Bound bound) {
        if (cost.threads() > 0) {
            add(
                    bound,
                    WallId.THREAD_LIMIT,
                    plan.atOnce(),
                    bound.free() / cost.threads(),
                    AT_ONCE,
                    text("%.1f threads for each connection", cost.threads()));
        } else {
            add(
                    bound,
                    WallId.THREAD_LIMIT,
                    Double.NaN,
                    bound.free(),
                    "threads more",
                    cost.threads() == 0
                            ? "no thread was made for a connection"
                            : "how many a connection needs is not known: --probe measures it");
        }
    }

    /// The queue takes one connection more than its length (`sk_acceptq_is_full`).
    private void acceptQueue(Bound bound) {
        double hitAt = bound.free() + 1;
        double arrivals = plan.lockstep() ? Double.NaN : plan.opensPerSecond();
        String note =
                arrivals > 0
                        ? text(
                                "full when the service does not accept for %.3f s, at %,.0f a second",
                                hitAt / arrivals, arrivals)
                        : "that come while the service accepts none";
        double needs = plan.lockstep() ? plan.atOnce() : Double.NaN;
        add(bound, WallId.ACCEPT_QUEUE, needs, hitAt, "connections at once", note);
    }

    private void tracked(Bound bound) {
        boolean tracks = bound.inUse() > 0;
        String note = tracks ? null : "only where a rule tracks connections: none is tracked now";
        String wall = WallId.CONNTRACK_TABLE.word();
        add(bound, wall, plan.atOnce(), bound.free(), AT_ONCE, tracks, note);
        if (!plan.keepalive()) {
            double seconds = bound.holdSeconds();
            String kept = text("a closed connection is kept for %.0f s", seconds);
            add(
                    bound,
                    wall,
                    plan.opensPerSecond(),
                    bound.free() / seconds,
                    OPENED,
                    tracks,
                    note == null ? kept : note);
        }
    }

    /// A closed loop fits any CPU: less CPU only makes it slower.
    private void cpu(Bound bound, WallId wall, String unit) {
        if (Double.isNaN(cost.cpuSeconds())) {
            add(bound, wall.word(), Double.NaN, bound.limit(), unit, false, PROBE);
            return;
        }
        add(
                bound,
                wall.word(),
                plan.requestsPerSecond(cost.seconds()),
                bound.limit() / cost.cpuSeconds(),
                REQUESTS,
                !plan.closedLoop() && cost.settled(),
                text("%.3f ms of CPU time a request", cost.cpuSeconds() * 1e3) + doubts());
    }

    private String doubts() {
        return (cost.settled() ? "" : " so far, and less when its code is compiled")
                + (plan.closedLoop() ? "; a closed loop asks for no more than it gets" : "");
    }

    /// The pool's size divided by the time of a request.
    private void pool(Bound bound, WallId wall) {
        if (Double.isNaN(cost.seconds())) {
            add(
                    bound,
                    wall,
                    plan.closedLoop() ? plan.atOnce() : Double.NaN,
                    bound.limit(),
                    "requests at a time",
                    "how long a request takes is not known: --probe measures it");
            return;
        }
        add(
                bound,
                wall,
                plan.requestsPerSecond(cost.seconds()),
                bound.limit() / cost.seconds(),
                REQUESTS,
                text("%.2f ms a request, when alone", cost.seconds() * 1e3));
    }

    /// By Little's law, a rate needs as many connections as there are requests in flight.
    private void addConnections() {
        boolean known = !Double.isNaN(cost.seconds());
        limits.add(
                new Limit(
                        WallId.CLIENT_CONNECTIONS.word(),
                        End.CLIENT,
                        plan.connections(),
                        Double.NaN,
                        known ? plan.perSecond() : Double.NaN,
                        known ? plan.connections() / cost.seconds() : plan.connections(),
                        known ? REQUESTS : "requests at a time",
                        false,
                        true,
                        "-c",
                        "the plan",
                        known
                                ? text("%.2f ms a request, when alone", cost.seconds() * 1e3)
                                : "how long a request takes is not known: --probe measures it",
                        List.of("more connections (-c)")));
    }

    private void add(
            Bound bound,
            WallId wall,
            double needs,
            double hitAt,
            String unit,
            @Nullable String note) {
        add(bound, wall, needs, hitAt, unit, note, bound.setter().commands());
    }

    private void add(
            Bound bound,
            WallId wall,
            double needs,
            double hitAt,
            String unit,
            @Nullable String note,
            List<String> moves) {
        limits.add(limit(bound, wall.word(), needs, hitAt, unit, true, note, moves));
    }

    private void add(
            Bound bound,
            String wall,
            double needs,
            double hitAt,
            String unit,
            boolean decides,
            @Nullable String note) {
        List<String> moves = bound.setter().commands();
        limits.add(limit(bound, wall, needs, hitAt, unit, decides, note, moves));
    }

    private static Limit limit(
            Bound bound,
            String wall,
            double needs,
            double hitAt,
            String unit,
            boolean decides,
            @Nullable String note,
            List<String> moves) {
        String to = target(bound, needs / hitAt);
        return new Limit(
                wall,
                bound.end(),
                bound.limit(),
                bound.inUse(),
                needs,
                hitAt,
                unit,
                bound.bytes(),
                decides,
                bound.setter().origin(),
                bound.source(),
                note,
                moves.stream().map(move -> move.replace("{to}", to)).toList());
    }

    /// What the plan needs plus a quarter, rounded to two digits; `N` if unknown.
    static String target(Bound bound, double share) {
        if (!(share > 0) || Double.isInfinite(share)) {
            return "N";
        }
        double least = ROOM * (used(bound) + bound.free() * share);
        if (least < 10) {
            return text("%.1f", least);
        }
        double step = Math.pow(10, Math.floor(Math.log10(least)) - 1);
        return text("%.0f", Math.ceil(least / step) * step);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would cost a dependency
    private static String text(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }
}
