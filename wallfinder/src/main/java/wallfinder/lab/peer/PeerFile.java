package wallfinder.lab.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.UsageException;
import wallfinder.lab.session.HostFacts;
import wallfinder.lab.session.RunContext;
import wallfinder.observation.Peer;
import wallfinder.observation.Timeline;
import wallfinder.profiling.CpuProfiling.Samples;
import wallfinder.profiling.Profiling;
import wallfinder.record.PeerJson;

/// The observation of a watch on the other host. It is complete only after the load.
public final class PeerFile implements ServerSide {
    private static final Duration WAIT_MAX = Duration.ofMinutes(30);
    private static final Duration LOOK_INTERVAL = Duration.ofMillis(200);

    /// A file that is being copied grows. It is complete if its size stays the same for this many
    /// looks.
    private static final int STILL_LOOKS = 3;

    private final Path path;
    private final boolean there;

    /// The file of an earlier watch, which the one of this load replaces; null without one.
    private @Nullable Stamp earlier;

    private PeerFile(Path path, boolean there) {
        this.path = path;
        this.there = there;
    }

    /// Checks the path before the load.
    ///
    /// @param path the file or its folder; the file may be missing yet
    /// @throws UsageException if the file exists and is no observation, or if its folder is missing
    public static PeerFile of(Path path) {
        PeerFile peer = new PeerFile(path, Files.exists(file(path)));
        Path parent = path.toAbsolutePath().getParent();
        if (peer.there) {
            peer.read();
        } else if (!Files.isDirectory(path) && (parent == null || !Files.isDirectory(parent))) {
            throw new UsageException(
                    "--peer " + path + " cannot be used",
                    "there is no folder " + parent,
                    "name a file in an existing folder");
        }
        return peer;
    }

    private static Path file(Path path) {
        return Files.isDirectory(path) ? path.resolve(PeerJson.FILE) : path;
    }

    /// The user began the watch. A file that is there already can be that of an earlier load.
    @Override
    public void begin() {
        if (there) {
            Peer peer = read();
            long endNanos =
                    peer.startEpochNanos() + Arrays.stream(peer.timeline().nanos()).max().orElse(0);
            boolean ended = endNanos < HostFacts.epochNanos(System.nanoTime());
            earlier = ended ? stamp() : null;
        }
    }

    /// @throws UsageException if the file is no observation, or does not arrive
    @Override
    public Seen await(RunContext context) {
        return new Seen(arrived(context), new Clocks.OfKernels(), List.of(), null);
    }

    /// The user began the watch, and ends it.
    @Override
    public boolean watchesAgain() {
        return false;
    }

    @Override
    public void beginAlone() {
        throw new IllegalStateException("the user began the only watch");
    }

    @Override
    public Timeline endAlone() {
        throw new IllegalStateException("the user began the only watch");
    }

    @Override
    public void check() {}

    @Override
    public @Nullable Now now() {
        return null;
    }

    @Override
    public Profiling profiling(Samples samples) {
        throw new IllegalStateException("a file profiles nothing");
    }

    private Peer arrived(RunContext context) {
        if (there && earlier == null) {
            return read();
        }
        context.progress()
                .say(
                        "The load is done. %sEnd the watch on the other host and copy its %s to %s; Ctrl-C reports the result without it"
                                .formatted(
                                        earlier == null
                                                ? ""
                                                : "The file that is there is of a watch that ended before the load began. ",
                                        PeerJson.FILE,
                                        path));
        long looks = WAIT_MAX.dividedBy(LOOK_INTERVAL);
        Stamp last = Stamp.MISSING;
        int still = 0;
        for (long look = 0; look < looks; look++) {
            Stamp now = stamp();
            boolean arrived = now.size() > 0 && !now.equals(earlier);
            still = arrived && now.size() == last.size() ? still + 1 : 0;
            last = now;
            if (still >= STILL_LOOKS) {
                return read();
            }
            if (!context.interruption().pause(LOOK_INTERVAL)) {
                throw missing("the run was interrupted before the file arrived");
            }
        }
        throw missing("it did not arrive within %d minutes".formatted(WAIT_MAX.toMinutes()));
    }

    private UsageException missing(String why) {
        return new UsageException(
                (earlier == null ? "there is no " : "there is no newer ") + file(path),
                earlier == null ? why : "its watch ended before the load began, and " + why,
                "end the watch, and copy what it wrote");
    }

    /// What changes when a file is replaced.
    private record Stamp(long size, @Nullable FileTime modified) {
        static final Stamp MISSING = new Stamp(-1, null);
    }

    private Stamp stamp() {
        try {
            Path file = file(path);
            return new Stamp(Files.size(file), Files.getLastModifiedTime(file));
        } catch (IOException e) {
            return Stamp.MISSING; // the file does not exist yet
        }
    }

    private Peer read() {
        try {
            return PeerJson.read(file(path));
        } catch (IOException e) {
            throw new UsageException(
                    "--peer " + file(path) + " cannot be read",
                    e.toString(),
                    "check its permissions, and name the file that a watch wrote");
        }
    }
}
