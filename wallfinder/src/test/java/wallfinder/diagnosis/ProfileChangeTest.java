package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import wallfinder.observation.CpuWindow;
import wallfinder.observation.CpuWindow.Frame;
import wallfinder.observation.CpuWindow.Job;
import wallfinder.observation.CpuWindow.SampledStack;
import wallfinder.observation.CpuWindow.ThreadCpu;

/// Profiles of simulated programs without and with a change. Two starts of a program differ, and
/// samples have noise.
class ProfileChangeTest {
    private static final int PAIRS = 8;
    private static final int SAMPLES = 4_000;
    private static final int ANSWERS = 10_000;

    /// Each start of a program compiles a method a little better or worse.
    private static final double START_NOISE = 0.02;

    /// In a fixed order, so that the same random numbers go to the same methods.
    private static final Map<String, Double> MICROS = new TreeMap<>();

    static {
        MICROS.put("a.A.parse", 100.0);
        MICROS.put("a.A.sign", 120.0);
        MICROS.put("b.B.render", 80.0);
        MICROS.put("b.B.rare", 1.0);
    }

    private final Random random = new Random(7);

    private List<CpuWindow> trial(Map<String, Double> micros, double answers) {
        Map<String, Double> noisy = new LinkedHashMap<>();
        micros.forEach(
                (name, us) -> noisy.put(name, us * Math.exp(START_NOISE * random.nextGaussian())));
        double all = noisy.values().stream().mapToDouble(Double::doubleValue).sum();
        Map<String, Long> counts = new LinkedHashMap<>();
        for (int i = 0; i < SAMPLES; i++) {
            double at = random.nextDouble() * all;
            for (Map.Entry<String, Double> method : noisy.entrySet()) {
                at -= method.getValue();
                if (at < 0) {
                    counts.merge(method.getKey(), 1L, Long::sum);
                    break;
                }
            }
        }
        List<SampledStack> stacks = new ArrayList<>();
        counts.forEach((name, count) -> {
            int end = name.lastIndexOf('.');
            Frame frame = new Frame(name.substring(0, end), name.substring(end + 1), false);
            stacks.add(new SampledStack(List.of(frame), count));
        });
        double seconds = all * answers / 1e6;
        List<ThreadCpu> threads =
                List.of(new ThreadCpu(1, "java", "worker", Job.PROGRAM, seconds, 0));
        return List.of(
                new CpuWindow(
                        1, answers, threads, Map.of(1, stacks), Map.of(), Map.of(), List.of(), 0),
                new CpuWindow(1, 0, List.of(), Map.of(), Map.of(), Map.of(), List.of(), 0));
    }

    private List<List<CpuWindow>> arm(Map<String, Double> micros, int pairs) {
        List<List<CpuWindow>> trials = new ArrayList<>();
        for (int i = 0; i < pairs; i++) {
            trials.add(trial(micros, ANSWERS));
        }
        return trials;
    }

    private static Map<String, Double> with(String method, double micros) {
        Map<String, Double> changed = new TreeMap<>(MICROS);
        changed.put(method, micros);
        return changed;
    }

    private ProfileChange change(Map<String, Double> after) {
        return ProfileChange.of(arm(MICROS, PAIRS), arm(after, PAIRS)).orElseThrow();
    }

    @Test
    void the_same_program_differs_in_nothing_in_19_of_20_comparisons() {
        int different = 0;
        for (int i = 0; i < 400; i++) {
            ProfileChange change = change(MICROS);
            boolean any =
                    change.cpu().differs()
                            || !change.different().isEmpty()
                            || change.parts().stream().anyMatch(part -> part.micros().differs());
            different += any ? 1 : 0;
        }
        assertThat(different).as("of 400").isBetween(2, 20);
    }

    @Test
    void a_tenth_more_work_in_one_method_is_found_and_ranks_first() {
        int found = 0;
        for (int i = 0; i < 100; i++) {
            List<ProfileChange.Method> different = change(with("a.A.sign", 132.0)).different();
            boolean first = !different.isEmpty() && different.getFirst().name().equals("a.A.sign");
            found += first ? 1 : 0;
        }
        assertThat(found).as("of 100").isGreaterThan(80);
    }

    @Test
    void a_method_that_vanishes_is_less_and_the_others_stay_as_they_are() {
        ProfileChange change = change(with("b.B.render", 0.0));
        assertThat(change.different()).hasSize(1);
        ProfileChange.Method gone = change.different().getFirst();
        assertThat(gone.name()).isEqualTo("b.B.render");
        assertThat(gone.self().before()).isCloseTo(80, within(3.0));
        assertThat(gone.self().after()).isZero();
        assertThat(change.cpu().differs()).isTrue();
        assertThat(change.parts().getFirst().name()).isEqualTo("b");
    }

    @Test
    void a_method_with_less_than_a_hundredth_of_the_time_is_not_compared() {
        assertThat(change(MICROS).methods())
                .extracting(ProfileChange.Method::name)
                .containsExactlyInAnyOrder("a.A.parse", "a.A.sign", "b.B.render");
    }

    @Test
    void too_few_pairs_or_a_trial_without_answers_show_nothing() {
        assertThat(ProfileChange.of(arm(MICROS, 2), arm(MICROS, 2))).isEmpty();
        assertThat(ProfileChange.of(arm(MICROS, 4), arm(MICROS, 3))).isPresent();
        List<List<CpuWindow>> silent = arm(MICROS, 3);
        silent.set(1, trial(MICROS, 0));
        assertThat(ProfileChange.of(silent, arm(MICROS, 3))).isEmpty();
    }
}
