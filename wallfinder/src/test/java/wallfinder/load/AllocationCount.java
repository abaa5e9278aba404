package wallfinder.load;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.locks.LockSupport;

/// Counts what a warm engine thread allocates. `bench/allocations` runs it against a native server.
final class AllocationCount {
    private static final long WAIT_NANOS = 1_000_000;
    private static final int CONNECTIONS = 64;

    /// Few requests may end before the compiler has finished.
    private static final int TIMES_MAX = 10;

    /// A run with so few answers in this time has stalled.
    private static final long STALL_NANOS_MAX = 30_000_000_000L;

    private AllocationCount() {}

    private record Count(long requests, long bytes, double seconds) {}

    /// The bytes allocated per request. Compiled code makes none of the objects of interpreted
    /// code, and the host decides how long the compiler needs. So the count is repeated, a bounded
    /// number of times, until it is zero.
    ///
    /// @return the fewest bytes of all repetitions
    private static double bytesPerRequest(PlanMaker plan, long requests, int times) {
        try (LoadRun run = LoadRun.start(plan.connections(CONNECTIONS).make())) {
            double fewest = Double.MAX_VALUE;
            for (int i = 0; i < times && fewest > 0; i++) {
                Count count = count(run, requests);
                fewest = Math.min(fewest, (double) count.bytes / count.requests);
            }
            return checked(run, fewest);
        }
    }

    private static Count count(PlanMaker plan, long warm, long requests) {
        try (LoadRun run = LoadRun.start(plan.connections(CONNECTIONS).make())) {
            awaitRequests(run, warm);
            return checked(run, count(run, requests));
        }
    }

    private static Count count(LoadRun run, long requests) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = engineThread();
        long start = System.nanoTime();
        long firstRequest = run.progress().requests();
        long firstByte = threads.getThreadAllocatedBytes(thread);
        awaitRequests(run, firstRequest + requests);
        return new Count(
                run.progress().requests() - firstRequest,
                threads.getThreadAllocatedBytes(thread) - firstByte,
                (System.nanoTime() - start) / 1e9);
    }

    private static <T> T checked(LoadRun run, T counted) {
        if (run.progress().errors() > 0) {
            throw new IllegalStateException(run.progress().errors() + " errors");
        }
        return counted;
    }

    private static long engineThread() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("wallfinder-load-"))
                .filter(Thread::isAlive)
                .mapToLong(Thread::threadId)
                .max()
                .orElseThrow();
    }

    private static void awaitRequests(LoadRun run, long requests) {
        long seen = 0;
        long seenNanos = System.nanoTime();
        while (seen < requests) {
            LockSupport.parkNanos(WAIT_NANOS);
            long now = run.progress().requests();
            if (now > seen) {
                seen = now;
                seenNanos = System.nanoTime();
            } else if (System.nanoTime() - seenNanos > STALL_NANOS_MAX) {
                throw new IllegalStateException("no answer any more after " + seen);
            }
        }
    }

    /// `PORT REQUESTS ENGINE true|false` prints the fewest bytes per request of one engine, with or
    /// without kept connections. `row PORT WARM-UP REQUESTS ENGINE true|false` prints one count
    /// after a warm-up as a row of a table.
    public static void main(String[] arguments) {
        if (!arguments[0].equals("row")) {
            System.out.println(
                    bytesPerRequest(
                            plan(arguments[0], arguments[2], arguments[3]),
                            Long.parseLong(arguments[1]),
                            TIMES_MAX));
            return;
        }
        Count count =
                count(
                        plan(arguments[1], arguments[4], arguments[5]),
                        Long.parseLong(arguments[2]),
                        Long.parseLong(arguments[3]));
        double bytesPerRequest = (double) count.bytes / count.requests;
        System.out.printf(
                "| %s | %s | %,d | %,d | %,d | %.4f | %,.0f |%n",
                EngineChoice.valueOf(arguments[4]).word(),
                Boolean.parseBoolean(arguments[5]) ? "kept alive" : "one for each request",
                Long.parseLong(arguments[2]),
                count.requests,
                count.bytes,
                bytesPerRequest,
                count.requests / count.seconds);
        System.exit(bytesPerRequest < 1 ? 0 : 1);
    }

    private static PlanMaker plan(String port, String engine, String kept) {
        return new PlanMaker(
                        new InetSocketAddress(
                                InetAddress.getLoopbackAddress(), Integer.parseInt(port)))
                .engine(EngineChoice.valueOf(engine))
                .keepalive(Boolean.parseBoolean(kept));
    }
}
