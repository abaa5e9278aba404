package wallfinder.lab.peer;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.CpuProfile;
import wallfinder.observation.CpuWindow;
import wallfinder.observation.Doubt;
import wallfinder.profiling.CpuProfiling;
import wallfinder.sandbox.RunningJvm;

/// Samples what the CPUs do for a watched service.
interface Profiler extends AutoCloseable {
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

    static Profiler start(Watched service) {
        return new OfService(service);
    }

    /// Samples one service.
    final class OfService implements Profiler {
        private final Watched service;
        private final CpuProfiling profiling;
        private double end = WINDOW_SECONDS;
        private boolean any;

        private OfService(Watched service) {
            this.service = service;
            profiling =
                    CpuProfiling.start(
                            service.processes(),
                            RunningJvm::major,
                            CpuProfiling.Samples.WITH_ALLOCATIONS);
            profiling.without().forEach(why -> service.doubt(Doubt.NO_STACKS.caveat(why)));
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
                List<CpuWindow> windows = profiling.stop();
                return CpuProfile.of(windows).orElse(null);
            } catch (IOException e) {
                service.doubt(Doubt.NO_STACKS.caveat(String.valueOf(e.getMessage())));
                return null;
            }
        }

        @Override
        public void close() {
            profiling.close();
        }
    }
}
