package wallfinder.observation;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.WallId;

/// A reason to doubt the figures of one measurement, with advice. It reaches the terminal and
/// `run.json`.
public sealed interface Caveat {
    /// A short name in kebab case, such as `no-namespaces` or `near:accept-queue`.
    String id();

    /// One or two sentences: what is doubtful, and how to remove the doubt.
    String advice();

    /// The same, raised on one of several hosts.
    default Caveat on(String host) {
        return read(id(), "on " + host + ": " + advice());
    }

    default boolean is(Doubt doubt) {
        return this instanceof Raised raised && raised.doubt() == doubt;
    }

    /// @param subject a program or counter, or null for the whole measurement
    record Raised(Doubt doubt, @Nullable String subject, String advice) implements Caveat {
        @Override
        public String id() {
            return subject == null ? doubt.id() : doubt.id() + ":" + subject;
        }
    }

    /// The evidence of a wall moved, but the wall did no harm.
    record Near(WallId wall, String advice) implements Caveat {
        private static final String PREFIX = "near:";

        @Override
        public String id() {
            return PREFIX + wall.word();
        }
    }

    /// A doubt in a file of another version, unknown to this version.
    record Foreign(String id, String advice) implements Caveat {}

    static List<Caveat> joined(List<Caveat> some, List<Caveat> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    /// Reads a caveat from a file.
    static Caveat read(String id, String advice) {
        if (id.startsWith(Near.PREFIX)) {
            WallId wall = WallId.find(id.substring(Near.PREFIX.length()));
            return wall == null ? new Foreign(id, advice) : new Near(wall, advice);
        }
        String[] parts = id.split(":", 2);
        for (Doubt doubt : Doubt.values()) {
            if (doubt.id().equals(parts[0])) {
                return new Raised(doubt, parts.length > 1 ? parts[1] : null, advice);
            }
        }
        return new Foreign(id, advice);
    }
}
