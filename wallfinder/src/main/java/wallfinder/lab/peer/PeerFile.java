package wallfinder.lab.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import wallfinder.experiment.UsageException;
import wallfinder.lab.session.RunContext;
import wallfinder.observation.Peer;
import wallfinder.record.PeerJson;

/// The observation that a watch wrote on the other host. It can only be whole after the load, so it
/// is waited for.
public final class PeerFile {
    private static final Duration WAIT_MAX = Duration.ofMinutes(30);
    private static final Duration LOOK_INTERVAL = Duration.ofMillis(200);

    /// A file that is being copied grows; one of the same size for so many looks is whole.
    private static final int STILL_LOOKS = 3;

    private final Path path;
    private final boolean there;

    private PeerFile(Path path, boolean there) {
        this.path = path;
        this.there = there;
    }

    /// Checks what can be known before the load.
    ///
    /// @param path the file, or the folder in which it is; it need not be there yet
    /// @throws UsageException if it is there and is something else, or can never get there
    public static PeerFile of(Path path) {
        PeerFile peer = new PeerFile(path, Files.exists(file(path)));
        Path parent = path.toAbsolutePath().getParent();
        if (peer.there) {
            peer.read();
        } else if (!Files.isDirectory(path) && (parent == null || !Files.isDirectory(parent))) {
            throw new UsageException(
                    "--peer " + path + " cannot be used",
                    "there is no folder " + parent,
                    "name a file in a folder that is there");
        }
        return peer;
    }

    private static Path file(Path path) {
        return Files.isDirectory(path) ? path.resolve(PeerJson.FILE) : path;
    }

    /// The observation, once it is whole.
    ///
    /// @throws UsageException if it is no observation, or does not come
    public Peer await(RunContext context) {
        if (there) {
            return read();
        }
        context.progress()
                .say(
                        "The load is done. End the watch on the other host and copy its %s to %s; Ctrl-C tells the result without it"
                                .formatted(PeerJson.FILE, path));
        long looks = WAIT_MAX.dividedBy(LOOK_INTERVAL);
        long size = -1;
        int still = 0;
        for (long look = 0; look < looks; look++) {
            long now = size();
            still = now > 0 && now == size ? still + 1 : 0;
            size = now;
            if (still >= STILL_LOOKS) {
                return read();
            }
            if (!context.interruption().pause(LOOK_INTERVAL)) {
                throw missing("the run was interrupted before it came");
            }
        }
        throw missing("it has not come for %d minutes".formatted(WAIT_MAX.toMinutes()));
    }

    private UsageException missing(String why) {
        return new UsageException(
                "there is no " + file(path), why, "end the watch, and copy what it wrote");
    }

    private long size() {
        try {
            return Files.size(file(path));
        } catch (IOException e) {
            return -1; // it is not there yet
        }
    }

    private Peer read() {
        try {
            return PeerJson.read(file(path));
        } catch (IOException e) {
            throw new UsageException(
                    "--peer " + file(path) + " cannot be read",
                    e.toString(),
                    "see its rights, and name the file that a watch wrote");
        }
    }
}
