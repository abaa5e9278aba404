package wallfinder.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/// A cgroup whose processes write to the disk of a folder [#WRITES] times a second at most.
///
/// It needs the controller `blkio` of cgroup v1.
final class SlowDisk implements AutoCloseable {
    static final int WRITES = 100;

    private static final Path CONTROLLER = Path.of("/sys/fs/cgroup/blkio");
    private static final int MINOR_BITS = 8;
    private static final long END_NANOS_MAX = 10_000_000_000L;
    private static final long LOOK_NANOS = 1_000_000;

    private final Path cgroup;

    /// @param folder on the disk
    SlowDisk(Path folder) throws IOException {
        long device = (Long) Files.getAttribute(folder, "unix:dev");
        cgroup = Files.createDirectory(CONTROLLER.resolve("wallfinder-test-" + UUID.randomUUID()));
        long minor = device & ((1L << MINOR_BITS) - 1);
        Files.writeString(
                cgroup.resolve("blkio.throttle.write_iops_device"),
                "%d:%d %d".formatted(device >> MINOR_BITS, minor, WRITES));
    }

    static boolean isPossible() {
        return Files.isWritable(CONTROLLER);
    }

    Path cgroup() {
        return cgroup;
    }

    /// Waits until the processes have left it, which are ended by now.
    @Override
    public void close() {
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
