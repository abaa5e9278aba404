package wallfinder.live;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import wallfinder.diagnosis.Fullness;
import wallfinder.experiment.WallId;
import wallfinder.observation.End;
import wallfinder.observation.Unit;

/// States of the live view, and their frames as text.
public final class LiveStates {
    static final long SECOND = 1_000_000_000L;

    private LiveStates() {}

    static Fullness limit(String name, double used, double most, Unit unit) {
        return new Fullness(name, End.SERVER, WallId.ACCEPT_QUEUE, used, most, unit, "sock_diag");
    }

    static List<Fullness> limits() {
        return List.of(
                limit("CPU", 0.94, 1, Unit.CPUS),
                limit("descriptors users", 12_040, 20_000, Unit.COUNT),
                limit("heap users", 115_500_000, 268_435_456, Unit.BYTES),
                limit("accept queue 8080", 31, 128, Unit.COUNT),
                new Fullness(
                        "ports busiest",
                        End.CLIENT,
                        WallId.EPHEMERAL_PORTS,
                        64,
                        28_232,
                        Unit.COUNT,
                        "sock_diag"));
    }

    static List<Gauge> gauges(double perSecond, double failed) {
        return List.of(
                new Gauge("answers/s", Gauge.Kind.PER_SECOND, perSecond),
                new Gauge("failed", Gauge.Kind.FAILURES, failed),
                new Gauge("p50", Gauge.Kind.NANOS, 1_230_000),
                new Gauge("p99", Gauge.Kind.NANOS, 9_870_000 + 1000 * perSecond));
    }

    /// A load of 30 s that began at the time zero, after some intervals of a quarter second.
    static LiveState loaded(int intervals) {
        LiveState state = LiveState.begin("wallfinder load http://127.0.0.1:8080/ -c 64 -d 30s", 0);
        for (int i = 1; i <= intervals; i++) {
            state =
                    state.with(
                            new Moment(
                                    "64 connections",
                                    Planned.exactly(0, Duration.ofSeconds(30)),
                                    gauges(100 * i, 0),
                                    limits()));
        }
        return state;
    }

    public static LiveState climbing() {
        Step step =
                new Step(
                        "climb 1",
                        Planned.unknown(0),
                        List.of(
                                new Step.Reached(16, 310.4, ""),
                                new Step.Reached(32, 618.9, ""),
                                new Step.Reached(64, 1_204, ""),
                                new Step.Reached(128, 1_190, "accept-queue")));
        return loaded(40).with(step);
    }

    static List<Line> lines(LiveState state, int width, int height) {
        return new Frame(state, 12 * SECOND, width, height, Glyphs.BLOCKS).lines();
    }

    static String text(LiveState state, int width, int height) {
        return lines(state, width, height).stream()
                .map(line -> text(line).stripTrailing())
                .collect(Collectors.joining("\n", "", "\n"));
    }

    /// The text without its colours.
    static String text(Line line) {
        return line.parts().stream().map(Line.Part::text).collect(Collectors.joining());
    }

    /// The text of the parts with this tone.
    static List<String> toned(List<Line> lines, Tone tone) {
        List<String> texts = new ArrayList<>();
        for (Line line : lines) {
            line.parts().stream()
                    .filter(part -> part.tone() == tone)
                    .map(Line.Part::text)
                    .forEach(texts::add);
        }
        return texts;
    }
}
