package wallfinder.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/// A cgroup whose processes write to the disk of a folder [#WRITES] times a second at most.
///
/// It needs the controller `blkio` of cgroup v1.
final class SlowDisk implements AutoCloseable {
    static final int WRITES = 100;

    private static final Path CONTROLLER = Path.of("/sys/fs/cgroup/blkio");
    private static final int MINOR_BITS = 8;

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

    /// Waits until the processes have left it.
    @Override
    public void close() {
        Path processes = cgroup.resolve("cgroup.procs");
        try {
            while (!Files.readString(processes).isEmpty()) {
                Thread.onSpinWait();
            }
            Files.delete(cgroup);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
