package wallfinder.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Lets a program write to the disk of a folder, or read from it, [#OPERATIONS] times a second at
/// most.
///
/// With cgroup v1 it makes a cgroup for the program. With v2 the program's own cgroup gets the
/// limit.
final class SlowDisk implements AutoCloseable {
    static final int OPERATIONS = 100;

    static final String WRITE = "write";
    static final String READ = "read";

    private static final Path TOP = Path.of("/sys/fs/cgroup");
    private static final Path CONTROLLER = TOP.resolve("blkio");
    private static final int MINOR_BITS = 8;
    private static final long END_NANOS_MAX = 10_000_000_000L;
    private static final long LOOK_NANOS = 1_000_000;

    private final String device;
    private final String direction;
    private final @Nullable Path cgroup;

    /// @param folder on the disk
    /// @param direction [#WRITE] or [#READ]
    SlowDisk(Path folder, String direction) throws IOException {
        this.direction = direction;
        long number = (Long) Files.getAttribute(folder, "unix:dev");
        device = "%d:%d".formatted(number >> MINOR_BITS, number & ((1L << MINOR_BITS) - 1));
        if (Files.isWritable(CONTROLLER)) {
            cgroup = CONTROLLER.resolve("wallfinder-test-" + UUID.randomUUID());
            Files.createDirectory(cgroup);
            Files.writeString(
                    cgroup.resolve("blkio.throttle." + direction + "_iops_device"),
                    device + " " + OPERATIONS);
        } else {
            cgroup = null;
        }
    }

    static boolean isPossible() {
        try {
            return Files.isWritable(CONTROLLER)
                    || Files.readString(TOP.resolve("cgroup.subtree_control")).contains("io");
        } catch (IOException e) {
            return false; // not version 2
        }
    }

    /// What `into.py` needs: the cgroup to join, or the limit for its own.
    String argument() {
        return cgroup == null
                ? "%s,%siops=%d".formatted(device, direction.substring(0, 1), OPERATIONS)
                : cgroup.toString();
    }

    /// Waits until the processes have left it, which are ended by now.
    @Override
    public void close() {
        if (cgroup == null) {
            return;
        }
        Path processes = cgroup.resolve("cgroup.procs");
        long end = System.nanoTime() + END_NANOS_MAX;
        try {
            while (!Files.readString(processes).isEmpty() && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
            Files.delete(cgroup); // fails if a process is left
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
