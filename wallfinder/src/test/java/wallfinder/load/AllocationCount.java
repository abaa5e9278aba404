package wallfinder.load;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.locks.LockSupport;

/// Counts what an engine's thread allocates while it drives, once it is warm. `bench/allocations`
/// runs it against a native server: `AllocationCount PORT REQUESTS`.
final class AllocationCount {
    private static final long WAIT_NANOS = 1_000_000;
    private static final int CONNECTIONS = 64;

    /// The first time is the warm-up of the second.
    private static final int TIMES = 2;

    /// For few requests, which the compiler may not be done within.
    private static final int TIMES_MAX = 10;

    /// A run in which so few answers come in such a time has come to a stand.
    private static final long STALL_NANOS_MAX = 30_000_000_000L;

    private AllocationCount() {}

    /// The bytes allocated for each of a number of requests. Compiled code makes none of the
    /// objects that interpreted code makes, and how long the compiler needs depends on the host: so
    /// it is counted again, a bounded number of times, until there are none.
    ///
    /// @return the fewest bytes of all times
    static double bytesPerRequest(PlanMaker plan, long requests, int times) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (LoadRun run = LoadRun.start(plan.connections(CONNECTIONS).make())) {
            long thread = engineThread();
            double fewest = Double.MAX_VALUE;
            for (int i = 0; i < times && fewest > 0; i++) {
                long firstRequest = run.progress().requests();
                long firstByte = threads.getThreadAllocatedBytes(thread);
                awaitRequests(run, firstRequest + requests);
                double bytes = threads.getThreadAllocatedBytes(thread) - firstByte;
                fewest = Math.min(fewest, bytes / (run.progress().requests() - firstRequest));
            }
            if (run.progress().errors() > 0) {
                throw new IllegalStateException(run.progress().errors() + " errors");
            }
            return fewest;
        }
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

    /// `PORT REQUESTS`, or `PORT REQUESTS ENGINE true|false` for the figure alone of one engine
    /// whose connections are kept or not.
    public static void main(String[] arguments) {
        InetSocketAddress target =
                new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        long requests = Long.parseLong(arguments[1]);
        if (arguments.length > 2) {
            PlanMaker plan =
                    new PlanMaker(target)
                            .engine(EngineChoice.valueOf(arguments[2]))
                            .keepalive(Boolean.parseBoolean(arguments[3]));
            System.out.println(bytesPerRequest(plan, requests, TIMES_MAX));
            return;
        }
        System.out.println("| engine | connections | requests | bytes allocated a request |");
        System.out.println("|---|---|---|---|");
        for (boolean kept : new boolean[] {true, false}) {
            for (EngineChoice engine :
                    new EngineChoice[] {EngineChoice.IO_URING, EngineChoice.EPOLL}) {
                PlanMaker plan = new PlanMaker(target).engine(engine).keepalive(kept);
                System.out.printf(
                        "| %s | %s | %d | %.4f |%n",
                        engine.word(),
                        kept ? "kept alive" : "a connection a request",
                        requests,
                        bytesPerRequest(plan, requests, TIMES));
            }
        }
    }
}
