package wallfinder.lab.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Harm;
import wallfinder.lab.SimulatedTrials;
import wallfinder.lab.session.Interruption;
import wallfinder.record.RunRecord;

/// The levels that a climb of a simulated service measures, and its end.
class ClimbLevelsTest {
    private final Interruption interruption = new Interruption();

    /// A service with a given rate and verdict at each level.
    private final class Simulated implements ScalableLoad {
        private final IntToDoubleFunction perSecond;
        private final IntFunction<Diagnosis> diagnosis;
        private final List<String> measured = new ArrayList<>();
        private final List<Duration> durations = new ArrayList<>();
        private final List<WarmUp> warmUps = new ArrayList<>();
        private boolean canBeWarmed = true;
        private int rewarmed;
        private int coldFor;
        private int stopAfter = Integer.MAX_VALUE;
        private int missesFrom = Integer.MAX_VALUE;
        private long answers;

        Simulated(IntToDoubleFunction perSecond, IntFunction<Diagnosis> diagnosis) {
            this.perSecond = perSecond;
            this.diagnosis = diagnosis;
        }

        @Override
        public void start(int connections) {
            begin(WarmUp.untilWarm(connections));
        }

        @Override
        public void begin(WarmUp warmUp) {
            warmUps.add(warmUp);
            answers += 1_000;
        }

        @Override
        public State rewarm(WarmUp warmUp) {
            warmUps.add(warmUp);
            rewarmed++;
            answers += canBeWarmed ? 5_000 : 0;
            if (!canBeWarmed) {
                return State.AS_IT_IS;
            }
            return rewarmed < coldFor ? State.COLD : State.WARM;
        }

        @Override
        public boolean warm() {
            return canBeWarmed && rewarmed >= coldFor;
        }

        @Override
        public long answered() {
            return answers;
        }

        @Override
        public RunRecord.Trial trial(String name, int connections, Duration duration) {
            measured.add(name);
            durations.add(duration);
            if (measured.size() >= stopAfter) {
                interruption.request();
            }
            answers += 100;
            Boolean met = missesFrom == Integer.MAX_VALUE ? null : connections < missesFrom;
            return SimulatedTrials.trial(
                    name,
                    SimulatedTrials.load(connections, perSecond.applyAsDouble(connections), 1, 0),
                    diagnosis.apply(connections),
                    met);
        }
    }

    private Climb.Climbed climb(ScalableLoad levels, int asked) {
        return climb(levels, asked, Climb.Start.FIRST);
    }

    private Climb.Climbed climb(ScalableLoad levels, int asked, Climb.Start start) {
        return new Climb(levels, asked, Duration.ofSeconds(5), interruption)
                .climb(start, "climb-1", trial -> {});
    }

    private static IntFunction<Diagnosis> namedFrom(int connections, Harm harm) {
        return at -> at >= connections ? SimulatedTrials.named(harm) : SimulatedTrials.none();
    }

    @Test
    void a_climb_doubles_from_a_sixteenth_of_the_requested_load_and_measures_the_wall_again() {
        Simulated levels = new Simulated(n -> 100 * n, namedFrom(256, Harm.THROUGHPUT));
        climb(levels, 256);
        assertThat(levels.measured)
                .containsExactly(
                        "climb-1-connections-16",
                        "climb-1-connections-32",
                        "climb-1-connections-64",
                        "climb-1-connections-128",
                        "climb-1-connections-256",
                        "climb-1-wall-256");
    }

    @Test
    void levels_below_the_wall_are_short_and_the_wall_is_measured_for_the_whole_time() {
        Simulated levels = new Simulated(n -> 100 * n, namedFrom(32, Harm.THROUGHPUT));
        climb(levels, 32);
        assertThat(levels.durations.getFirst()).isEqualTo(Duration.ofSeconds(2));
        assertThat(levels.durations.getLast()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void a_first_level_with_a_wall_is_halved_until_a_level_has_none() {
        Simulated[] self = new Simulated[1];
        self[0] =
                new Simulated(
                        n -> 100 * n,
                        n ->
                                n >= 64 || (n >= 8 && self[0].measured.size() < 3)
                                        ? SimulatedTrials.named(Harm.THROUGHPUT)
                                        : SimulatedTrials.none());
        Climb.Climbed climbed = climb(self[0], 256);
        assertThat(self[0].measured)
                .containsExactly(
                        "climb-1-connections-16",
                        "climb-1-connections-8",
                        "climb-1-connections-4",
                        "climb-1-connections-8-try-2",
                        "climb-1-connections-16-try-2",
                        "climb-1-connections-32",
                        "climb-1-connections-64",
                        "climb-1-wall-256");
        assertThat(climbed.before().connections()).isEqualTo(32);
    }

    @Test
    void a_level_with_a_wall_is_measured_again_until_the_service_is_warm() {
        Simulated levels = new Simulated(n -> 100 * n, namedFrom(32, Harm.THROUGHPUT));
        levels.coldFor = 3;
        climb(levels, 32);
        assertThat(levels.measured)
                .containsExactly(
                        "climb-1-connections-2",
                        "climb-1-connections-4",
                        "climb-1-connections-8",
                        "climb-1-connections-16",
                        "climb-1-connections-32",
                        "climb-1-connections-32-try-2",
                        "climb-1-connections-32-try-3",
                        "climb-1-wall-32");
    }

    @Test
    void a_wall_below_the_requested_load_is_measured_at_the_requested_load_too() {
        Simulated levels = new Simulated(n -> 100 * n, namedFrom(32, Harm.ERRORS));
        Climb.Climbed climbed = climb(levels, 256);
        assertThat(levels.measured)
                .containsExactly(
                        "climb-1-connections-16", "climb-1-connections-32", "climb-1-wall-256");
        assertThat(climbed.trials()).hasSize(3);
    }

    @Test
    void
            the_service_is_warmed_at_the_last_level_without_a_wall_before_the_wall_is_measured_again() {
        Simulated levels = new Simulated(n -> 100 * n, namedFrom(64, Harm.THROUGHPUT));
        Climb.Climbed climbed = climb(levels, 64);
        assertThat(levels.warmUps).containsExactly(WarmUp.untilWarm(4), WarmUp.untilWarm(32));
        // The levels 4, 8, 16 and 32, then the wall in the cold service; the warm-ups give 1,000
        // and 5,000 answers.
        assertThat(climbed.before()).isEqualTo(new WarmUp(32, 1_000 + 5 * 100 + 5_000));
    }

    @Test
    void a_wall_that_disappears_in_the_warm_service_does_not_end_the_climb() {
        Simulated[] self = new Simulated[1];
        Simulated levels =
                new Simulated(
                        n -> 100 * n,
                        n ->
                                n >= 128 || (n >= 16 && self[0].rewarmed == 0)
                                        ? SimulatedTrials.named(Harm.THROUGHPUT)
                                        : SimulatedTrials.none());
        self[0] = levels;
        climb(levels, 64);
        assertThat(levels.measured)
                .containsExactly(
                        "climb-1-connections-4",
                        "climb-1-connections-8",
                        "climb-1-connections-16",
                        "climb-1-wall-64",
                        "climb-1-connections-128",
                        "climb-1-wall-128");
    }

    @Test
    void failures_are_not_measured_again_at_the_same_load() {
        Simulated failing = new Simulated(n -> 100 * n, namedFrom(1, Harm.ERRORS));
        climb(failing, 1);
        assertThat(failing.measured).containsExactly("climb-1-connections-1");
    }

    /// A level takes two seconds at most: a short pause of the generator makes it invalid.
    @Test
    void a_generator_at_its_limit_ends_the_climb_only_if_it_is_so_for_the_whole_duration() {
        Simulated invalid = new Simulated(n -> 100 * n, n -> SimulatedTrials.invalid());
        climb(invalid, 1);
        assertThat(invalid.measured).containsExactly("climb-1-connections-1", "climb-1-wall-1");
        assertThat(invalid.rewarmed).isZero();
        AtomicInteger paused = new AtomicInteger(1);
        Simulated once =
                new Simulated(
                        n -> 100 * n,
                        n ->
                                n == 4 && paused.getAndDecrement() > 0
                                        ? SimulatedTrials.invalid()
                                        : SimulatedTrials.none());
        climb(once, 4);
        assertThat(once.measured).contains("climb-1-wall-4", "climb-1-connections-8");
    }

    @Test
    void a_service_that_cannot_be_warmed_is_measured_once_at_its_wall() {
        Simulated levels = new Simulated(n -> 100 * n, namedFrom(16, Harm.THROUGHPUT));
        levels.canBeWarmed = false;
        climb(levels, 16);
        assertThat(levels.measured.getLast()).isEqualTo("climb-1-connections-16");
    }

    @Test
    void without_a_wall_a_climb_ends_at_sixteen_times_the_requested_load() {
        Simulated levels = new Simulated(n -> 100 * n, n -> SimulatedTrials.none());
        climb(levels, 4);
        assertThat(levels.measured).hasSize(7).endsWith("climb-1-connections-64");
    }

    @Test
    void a_climb_ends_at_16384_connections_unless_more_were_requested() {
        Simulated many = new Simulated(n -> n, n -> SimulatedTrials.none());
        climb(many, 12_000, new Climb.Start(8_192, null));
        assertThat(many.measured).endsWith("climb-1-connections-16384").hasSize(2);
        Simulated more = new Simulated(n -> n, n -> SimulatedTrials.none());
        climb(more, 20_000, new Climb.Start(16_000, null));
        assertThat(more.measured).endsWith("climb-1-connections-20000").hasSize(2);
    }

    @Test
    void an_unnamed_wall_ends_a_climb_only_if_the_rate_grows_by_less_than_a_twentieth() {
        Simulated flat = new Simulated(n -> Math.min(n, 4) * 1_000, n -> SimulatedTrials.unnamed());
        climb(flat, 16);
        assertThat(flat.measured.getLast()).isEqualTo("climb-1-wall-16");
        Simulated grows = new Simulated(n -> 1_000 * n, n -> SimulatedTrials.unnamed());
        climb(grows, 2);
        assertThat(grows.measured).endsWith("climb-1-connections-32");
    }

    @Test
    void a_missed_objective_ends_a_climb() {
        Simulated levels = new Simulated(n -> 100 * n, n -> SimulatedTrials.none());
        levels.missesFrom = 8;
        climb(levels, 8);
        assertThat(levels.measured).endsWith("climb-1-connections-8", "climb-1-wall-8");
    }

    @Test
    void a_climb_begins_at_the_last_wall_after_the_same_warm_up() {
        Simulated levels = new Simulated(n -> 100 * n, namedFrom(64, Harm.ERRORS));
        WarmUp same = new WarmUp(8, 2_345);
        Climb.Climbed climbed = climb(levels, 16, new Climb.Start(64, same));
        assertThat(levels.warmUps).containsExactly(same);
        assertThat(levels.measured).containsExactly("climb-1-connections-64");
        assertThat(climbed.before()).isEqualTo(new WarmUp(8, 1_000));
    }

    @Test
    void an_interrupted_climb_keeps_its_measurements() {
        Simulated levels = new Simulated(n -> 100 * n, namedFrom(8, Harm.THROUGHPUT));
        levels.stopAfter = 2;
        List<RunRecord.@Nullable Trial> kept = new ArrayList<>();
        Climb.Climbed climbed =
                new Climb(levels, 64, Duration.ofSeconds(1), interruption)
                        .climb(Climb.Start.FIRST, "climb-1", kept::add);
        assertThat(levels.measured).hasSize(2);
        assertThat(kept).hasSize(2).isEqualTo(climbed.trials());
        assertThat(levels.durations).allMatch(Duration.ofSeconds(1)::equals);
    }
}
