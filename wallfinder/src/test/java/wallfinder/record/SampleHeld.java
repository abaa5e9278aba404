package wallfinder.record;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import wallfinder.observation.End;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Timeline;

/// A run of `hold`.
public final class SampleHeld {
    private SampleHeld() {}

    /// A hundred connections were opened, and ten of them were closed by the service.
    public static RunRecord run() {
        LoadOutcome.Requests idle = SampleRun.healthyLoad(100);
        LoadOutcome held =
                new LoadOutcome.Held(
                        idle.engine(),
                        100,
                        idle.loop(),
                        idle.seconds(),
                        idle.exchanges(),
                        idle.failures(),
                        idle.times(),
                        new LoadOutcome.Hold(
                                "echoed",
                                32,
                                1,
                                new TreeMap<>(Map.of("alive", 90L, "closed", 10L)),
                                0,
                                1,
                                500,
                                idle.seconds() - 1,
                                0.1,
                                SampleRun.histogram(1, 100),
                                64,
                                100_000_000,
                                List.of(),
                                List.of()));
        Timeline timeline =
                new Timeline(
                        SampleRun.nanos(SampleRun.SAMPLES),
                        List.of(
                                SampleRun.series(
                                        LoadFigure.CONNECTIONS,
                                        End.CLIENT,
                                        i -> Math.min(i * 10, 100) - (i > 40 ? 10 : 0))));
        return SampleRun.run(List.of(SampleRun.trial("held", held, timeline)), List.of(), "");
    }
}
