package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import wallfinder.Tree;
import wallfinder.diagnosis.Advice;
import wallfinder.diagnosis.Budget;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Evidence;
import wallfinder.diagnosis.Judgement;
import wallfinder.observation.Caveat;
import wallfinder.observation.Observation;

/// Everything that a diagnosis says about each recorded case of the catalogue: evidence, advice,
/// doubts, why the other walls are not named, and where the time goes. A change of any of it shows
/// in these files. If it is right, copy `wallfinder/target/said` to [#FOLDER].
class RecordedTextsTest {
    private static final String FOLDER = "wallfinder/src/test/resources/wallfinder/diagnosis/said";
    private static final String NEW = "wallfinder/target/said";

    static List<String> recorded() throws IOException {
        return RecordedObservation.names();
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void all_that_is_said_is_what_was_said_before(String name) throws IOException {
        String said = said(RecordedObservation.named(name).observation());
        Path before = Tree.ROOT.resolve(FOLDER).resolve(name + ".txt");
        String known = Files.exists(before) ? Files.readString(before) : "";
        if (!said.equals(known)) {
            Path now = Tree.ROOT.resolve(NEW).resolve(name + ".txt");
            Files.createDirectories(now.getParent());
            Files.writeString(now, said);
        }
        assertThat(said).as("compare %s with %s", NEW, FOLDER).isEqualTo(known);
    }

    private static String said(Observation observation) {
        Diagnosis diagnosis = Diagnosis.of(observation);
        List<String> lines = new ArrayList<>();
        lines.add(diagnosis.verdict().toString());
        Optional.ofNullable(diagnosis.headline())
                .ifPresent(binds -> add("WALL", binds, observation, lines));
        diagnosis.also().forEach(binds -> add("also", binds, observation, lines));
        Optional.ofNullable(diagnosis.seen()).ifPresent(seen -> lines.add("seen: " + seen));
        for (Caveat caveat : diagnosis.caveats()) {
            lines.add("doubt " + caveat.id() + ": " + caveat.advice());
        }
        for (Judgement.NotBinding out : diagnosis.ruledOut()) {
            lines.add("not " + out.wall().id().word() + ": " + out.because());
        }
        Budget.of(observation).ifPresent(budget -> add(budget, lines));
        for (Budget.Busy busy : Budget.busy(observation)) {
            lines.add(number("on average %.2f: ", busy.mean()) + busy.does());
        }
        return String.join("\n", lines) + "\n";
    }

    private static void add(
            String word, Judgement.Binds binds, Observation observation, List<String> lines) {
        lines.add("%s %s, %s".formatted(word, binds.wall().id().word(), binds.end()));
        lines.add("  harm: %s, proof: %s".formatted(binds.harm(), binds.wall().proof(binds)));
        for (Evidence evidence : binds.evidence()) {
            lines.add("  evidence: " + evidence.says());
            lines.add(
                    "    %s, %s: %s -> %s, limit %s; %s"
                            .formatted(
                                    evidence.name(),
                                    evidence.basis(),
                                    number(evidence.before()),
                                    number(evidence.after()),
                                    number(evidence.limit()),
                                    evidence.source()));
        }
        for (Advice advice : binds.wall().advice(binds, observation)) {
            lines.add("  advice: %s (%s)".formatted(advice.command(), advice.price()));
        }
    }

    private static void add(Budget budget, List<String> lines) {
        Budget.Parts alone = budget.alone();
        if (alone != null) {
            add("alone", alone, lines);
        }
        add("loaded", budget.loaded(), lines);
    }

    private static void add(String when, Budget.Parts parts, List<String> lines) {
        lines.add(when + number(", an answer takes %.1f us", parts.responseMicros()));
        for (Budget.Share share : parts.shares()) {
            lines.add(number("  %.1f us ", share.micros()) + share.key() + ": " + share.does());
        }
    }

    private static String number(Double value) {
        return value == null ? "-" : number("%.3f", value);
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
