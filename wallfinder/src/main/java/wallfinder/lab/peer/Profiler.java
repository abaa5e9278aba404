package wallfinder.lab.peer;

import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.CpuProfile;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.profiling.ProfileWindows;
import wallfinder.profiling.Profiling;

/// Samples what the CPUs do for a watched service, from one look to the next.
public interface Profiler extends AutoCloseable {
    /// Called every now and then.
    void look();

    /// @return null if nothing was sampled
    @Nullable CpuProfile stop();

    @Override
    void close();

    static Profiler none() {
        return new Profiler() {
            @Override
            public void look() {}

            @Override
            public @Nullable CpuProfile stop() {
                return null;
            }

            @Override
            public void close() {}
        };
    }

    /// @param profiling has begun; the profiler closes it
    /// @param doubts get what cannot be seen
    static Profiler of(Profiling profiling, Consumer<Caveat> doubts) {
        return new OfService(profiling, doubts);
    }

    /// Samples one service.
    final class OfService implements Profiler {
        private static final long UNBOUNDED_NANOS = Long.MAX_VALUE / 2;

        private final Profiling profiling;
        private final Consumer<Caveat> doubts;
        private final ProfileWindows windows;

        private OfService(Profiling profiling, Consumer<Caveat> doubts) {
            this.profiling = profiling;
            this.doubts = doubts;
            long now = System.nanoTime();
            windows = new ProfileWindows(profiling, () -> Double.NaN, now, now + UNBOUNDED_NANOS);
            windows.look();
            profiling.doubts().forEach(doubts);
        }

        @Override
        public void look() {
            windows.look();
        }

        /// A short look has one short window.
        @Override
        public @Nullable CpuProfile stop() {
            if (!windows.anyEnded()) {
                windows.end();
            }
            try {
                return CpuProfile.of(profiling.stop()).orElse(null);
            } catch (IOException e) {
                doubts.accept(Doubt.NO_STACKS.caveat(String.valueOf(e.getMessage())));
                return null;
            }
        }

        @Override
        public void close() {
            profiling.close();
        }
    }
}
