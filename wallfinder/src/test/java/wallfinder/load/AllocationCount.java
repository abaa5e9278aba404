package wallfinder.load;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.locks.LockSupport;

/// Counts what an engine's thread allocates while it drives, once it is warm. `bench/allocations`
/// runs it against a native server: `AllocationCount PORT REQUESTS`.
final class AllocationCount {
    /// Compiled code removes some allocations that interpreted code makes.
    static final long WARM_REQUESTS = 100_000;

    private static final long WAIT_NANOS = 1_000_000;
    private static final int CONNECTIONS = 64;

    /// A run in which so few answers come in such a time has come to a stand.
    private static final long STALL_NANOS_MAX = 30_000_000_000L;

    private AllocationCount() {}

    /// The bytes allocated for each of a number of requests.
    static double bytesPerRequest(PlanMaker plan, long requests) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (LoadRun run = LoadRun.start(plan.connections(CONNECTIONS).make())) {
            long thread = engineThread();
            awaitRequests(run, WARM_REQUESTS);
            long firstRequest = run.progress().requests();
            long firstByte = threads.getThreadAllocatedBytes(thread);
            awaitRequests(run, firstRequest + requests);
            long bytes = threads.getThreadAllocatedBytes(thread) - firstByte;
            if (run.progress().errors() > 0) {
                throw new IllegalStateException(run.progress().errors() + " errors");
            }
            return (double) bytes / (run.progress().requests() - firstRequest);
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

    public static void main(String[] arguments) {
        InetSocketAddress target =
                new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        long requests = Long.parseLong(arguments[1]);
        for (EngineChoice engine : new EngineChoice[] {EngineChoice.IO_URING, EngineChoice.EPOLL}) {
            for (boolean kept : new boolean[] {true, false}) {
                PlanMaker plan = new PlanMaker(target).engine(engine).keepalive(kept);
                System.out.printf(
                        "| %s | %s | %d | %.4f |%n",
                        engine.word(),
                        kept ? "kept alive" : "a connection a request",
                        requests,
                        bytesPerRequest(plan, requests));
            }
        }
    }
}
