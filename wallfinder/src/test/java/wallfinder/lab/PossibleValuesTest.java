package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import wallfinder.diagnosis.Advice;
import wallfinder.diagnosis.Basis;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Evidence;
import wallfinder.diagnosis.Judgement;
import wallfinder.observation.Caveat;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Observation;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// The texts about the recorded observations contain no impossible value, and evidence shows the
/// value that its counter had.
class PossibleValuesTest {

    /// A minus sign before a number, but not one in a range, an option or a name.
    private static final Pattern NEGATIVE = Pattern.compile("(^|[ (:])-\\d");

    /// A Java record that was printed as it is.
    private static final Pattern RECORD = Pattern.compile("[A-Z]\\w+\\[\\w+=");

    private static final Pattern CPU_SECONDS =
            Pattern.compile(
                    "used ([\\d.]+) CPU seconds in ([\\d.]+) s(?: \\(([\\d.]+) of (\\d+) CPU)?");

    private static final Pattern THREAD =
            Pattern.compile(
                    "thread of .* (?:used|for) ([\\d.]+) (?:CPU seconds in|s of) ([\\d.]+) s");

    /// Allows for the kernel's ticks of 10 ms and for the time between reading a clock and a
    /// counter.
    private static final double TOLERANCE = 1.03;

    private static final Pattern PERCENT =
            Pattern.compile("([\\d.]+) % of (?:a|the|its|their) (?:CPU|time)");

    static List<String> recorded() throws IOException {
        return RecordedObservation.names();
    }

    private static Observation read(String name) throws IOException {
        return RecordedObservation.named(name).observation();
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void printed_values_are_possible(String name) throws IOException {
        Observation seen = read(name);
        assertThat(texts(seen)).isNotEmpty().allSatisfy(PossibleValuesTest::assertPossible);
        assertThat(texts(unwatched(seen)))
                .isNotEmpty()
                .allSatisfy(PossibleValuesTest::assertPossible);
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void evidence_shows_the_value_of_its_counter(String name) throws IOException {
        Observation seen = read(name);
        for (Evidence evidence : evidence(Diagnosis.of(seen))) {
            assertLiteral(evidence, seen.timeline());
        }
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void no_wall_of_an_unwatched_server_is_ruled_out_by_a_reading(String name) throws IOException {
        Observation unwatched = unwatched(read(name));
        assertThat(Diagnosis.of(unwatched).ruledOut())
                .filteredOn(out -> !out.wall().seen(unwatched))
                .isNotEmpty()
                .extracting(Judgement.NotBinding::because)
                .allSatisfy(because ->
                        assertThat(because)
                                .containsAnyOf(
                                        "unknown", "the load is a command", "on the client"));
    }

    private static Observation unwatched(Observation seen) {
        SandboxFacts facts = seen.facts();
        List<Series> client =
                seen.timeline().series().stream()
                        .filter(s -> s.counter().end() != End.SERVER)
                        .toList();
        return new Observation(
                seen.load(),
                new Timeline(seen.timeline().nanos(), client),
                facts.with(false, List.of(), facts.caveats()));
    }

    private static List<Evidence> evidence(Diagnosis diagnosis) {
        List<Judgement.Binds> binds = new ArrayList<>(diagnosis.also());
        Optional.ofNullable(diagnosis.headline()).ifPresent(binds::add);
        return binds.stream().flatMap(one -> one.evidence().stream()).toList();
    }

    private static List<String> texts(Observation seen) {
        Diagnosis diagnosis = Diagnosis.of(seen);
        List<String> texts = new ArrayList<>();
        evidence(diagnosis).forEach(e -> texts.add(e.says()));
        evidence(diagnosis).forEach(e -> texts.add(figures(e)));
        diagnosis.ruledOut().forEach(out -> texts.add(out.because()));
        diagnosis.caveats().stream().map(Caveat::advice).forEach(texts::add);
        Optional.ofNullable(diagnosis.seen()).ifPresent(texts::add);
        Optional.ofNullable(diagnosis.headline())
                .ifPresent(binds ->
                        binds.wall().advice(binds, seen).stream()
                                .map(Advice::command)
                                .forEach(texts::add));
        return texts;
    }

    private static String figures(Evidence evidence) {
        return String.format(
                Locale.ROOT,
                "%s: %s, %s, %s",
                evidence.counter().text(),
                evidence.before(),
                evidence.after(),
                evidence.limit());
    }

    private static void assertPossible(String text) {
        assertThat(text).doesNotContain("NaN", "Infinity").doesNotContainPattern(RECORD);
        assertThat(NEGATIVE.matcher(text).find()).as(text).isFalse();
        Matcher cpu = CPU_SECONDS.matcher(text);
        if (cpu.find() && cpu.group(4) != null) {
            double most = Double.parseDouble(cpu.group(4)) * TOLERANCE;
            assertThat(Double.parseDouble(cpu.group(3))).as(text).isLessThanOrEqualTo(most);
        }
        Matcher thread = THREAD.matcher(text);
        if (thread.find()) {
            double most = Double.parseDouble(thread.group(2)) * TOLERANCE;
            assertThat(Double.parseDouble(thread.group(1))).as(text).isLessThanOrEqualTo(most);
        }
        Matcher percent = PERCENT.matcher(text);
        while (percent.find()) {
            assertThat(Double.parseDouble(percent.group(1))).as(text).isBetween(0.0, 101.0);
        }
    }

    private static void assertLiteral(Evidence evidence, Timeline timeline) {
        Optional<Series> series = timeline.find(evidence.counter(), evidence.end());
        switch (evidence.basis()) {
            case COUNTER -> {
                Series read = series.orElseThrow();
                assertThat(read.counter().kind()).isEqualTo(Counter.Kind.CUMULATIVE);
                assertThat(evidence.before()).as(evidence.says()).isEqualTo(read.first());
                assertThat(evidence.after()).as(evidence.says()).isEqualTo(read.last());
                assertThat(evidence.before()).isBetween(0.0, evidence.after());
            }
            case LEVEL -> {
                Series read = series.orElseThrow();
                assertThat(read.counter().kind()).isEqualTo(Counter.Kind.GAUGE);
                assertThat(Arrays.stream(read.values()).boxed().toList())
                        .as(evidence.says())
                        .contains(evidence.after());
            }
            case SETTING -> assertThat(evidence.after()).isNull();
            case DERIVED, LOAD -> assertThat(series).as(evidence.says()).isEmpty();
        }
        if (evidence.basis() == Basis.DERIVED) {
            assertThat(evidence.source()).startsWith("derived");
        }
    }
}
