package wallfinder.lab.peer;

import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.CpuProfile;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.profiling.Profiling;

/// Samples what the CPUs do for a watched service, from one look to the next.
public interface Profiler extends AutoCloseable {
    /// A window has to be long enough for many samples.
    double WINDOW_SECONDS = 1;

    /// Called every now and then.
    void at(double seconds);

    /// @return null if nothing was sampled
    @Nullable CpuProfile stop();

    @Override
    void close();

    static Profiler none() {
        return new Profiler() {
            @Override
            public void at(double seconds) {}

            @Override
            public @Nullable CpuProfile stop() {
                return null;
            }

            @Override
            public void close() {}
        };
    }

    /// @param profiling has begun; the profiler closes it
    /// @param doubts get why there are no stacks
    static Profiler of(Profiling profiling, Consumer<Caveat> doubts) {
        return new OfService(profiling, doubts);
    }

    /// Samples one service.
    final class OfService implements Profiler {
        private final Profiling profiling;
        private final Consumer<Caveat> doubts;
        private double end = WINDOW_SECONDS;
        private boolean any;

        private OfService(Profiling profiling, Consumer<Caveat> doubts) {
            this.profiling = profiling;
            this.doubts = doubts;
            profiling.without().forEach(this::doubt);
        }

        private void doubt(String why) {
            doubts.accept(Doubt.NO_STACKS.caveat(why));
        }

        @Override
        public void at(double seconds) {
            if (seconds >= end) {
                endWindow();
                end = seconds + WINDOW_SECONDS;
            }
        }

        private void endWindow() {
            profiling.endWindow(Double.NaN);
            any = true;
        }

        /// A short look has one short window.
        @Override
        public @Nullable CpuProfile stop() {
            if (!any) {
                endWindow();
            }
            try {
                return CpuProfile.of(profiling.stop()).orElse(null);
            } catch (IOException e) {
                doubt(String.valueOf(e.getMessage()));
                return null;
            }
        }

        @Override
        public void close() {
            profiling.close();
        }
    }
}
