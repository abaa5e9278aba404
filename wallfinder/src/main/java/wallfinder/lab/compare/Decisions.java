package wallfinder.lab.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.UsageException;
import wallfinder.lab.compare.Differences.Values;
import wallfinder.record.Comparison.Decision;
import wallfinder.record.StoredRun;
import wallfinder.record.StoredRun.Jvm;
import wallfinder.report.RunFolder;

/// How to measure both in turn, so that the state of the host affects both alike.
final class Decisions {
    /// So many times each of two `load` commands alternate.
    private static final int ROUNDS = 5;

    /// A larger file is no experiment.
    private static final long EXPERIMENT_BYTES_MAX = 1 << 20;

    private static final String FILE = "decide.yaml";

    /// A word of a command line as a shell reads it, with its quotes.
    private static final Pattern WORD = Pattern.compile("(?:'[^']*+'|\\\\.|[^\\s'\\\\]++)++");

    /// Options whose value is a file of that run, or an earlier run.
    private static final Set<String> OF_FILES =
            Set.of("--out", "--json", "--hlog", "--junit", "--csv", "--openmetrics", "--baseline");

    private static final String GITHUB = "--github";

    /// Its value may be missing.
    private static final String WEB = "--web";

    private final StoredRun a;
    private final StoredRun b;
    private final List<String> how = new ArrayList<>();

    private Decisions(StoredRun a, StoredRun b) {
        this.a = a;
        this.b = b;
    }

    /// @param first the first trials that correspond
    static Decision of(StoredRun a, StoredRun b, Match first) {
        Decisions decisions = new Decisions(a, b);
        if (Differences.machinesDiffer(a, b)) {
            decisions.how.add("The hosts differ. Measure both on one host.");
        }
        return isExperiment(a) && isExperiment(b)
                ? decisions.ofExperiments(first)
                : decisions.alternating();
    }

    private static boolean isExperiment(StoredRun run) {
        return run.command().matches(".*\\.ya?ml( .*|$)");
    }

    private Decision alternating() {
        how.add(
                ("Alternate these two commands %d times, each against the service that it is meant"
                                + " for. A difference between A and B counts only if it is larger"
                                + " than the differences within A and within B:")
                        .formatted(ROUNDS));
        return new Decision(List.copyOf(how), List.of(again(a), again(b)), null);
    }

    /// The command without what it wrote and showed beside its measurement.
    private static String again(StoredRun run) {
        List<String> words = WORD.matcher(run.command()).results().map(MatchResult::group).toList();
        List<String> kept = new ArrayList<>();
        int i = 0;
        while (i < words.size()) {
            // A value with a space has its option within its quotes: '--out=my runs/1'.
            String[] option = words.get(i).replaceFirst("^'", "").split("=", 2);
            String next = i + 1 < words.size() ? words.get(i + 1) : "";
            boolean alone = option.length == 1;
            if (OF_FILES.contains(option[0])) {
                i += alone ? 2 : 1;
            } else if (option[0].equals(WEB)) {
                i += alone && next.matches("\\d+") ? 2 : 1;
            } else if (option[0].equals(GITHUB)) {
                i++;
            } else {
                kept.add(words.get(i));
                i++;
            }
        }
        return "bin/" + String.join(" ", kept);
    }

    private Decision ofExperiments(Match first) {
        if (a.fit() != null) {
            how.add(
                    "Make what differs two candidates of one experiment (docs/fit.md): fit measures"
                            + " them in rounds.");
            return new Decision(List.copyOf(how), List.of(), null);
        }
        SortedMap<String, Values> differing = differing(first);
        if (differing.isEmpty()) {
            return ofPrograms();
        }
        String onlyOne =
                differing.entrySet().stream()
                        .filter(setting -> !setting.getValue().inBoth())
                        .map(Map.Entry::getKey)
                        .collect(Collectors.joining(", "));
        if (!onlyOne.isEmpty()) {
            how.add("Only one of the runs sets %s, so give both a value.".formatted(onlyOne));
        }
        differing.values().removeIf(values -> !values.inBoth());
        return differing.isEmpty() ? new Decision(how, List.of(), null) : interleaved(differing);
    }

    /// For runs whose settings are the same.
    private Decision ofPrograms() {
        how.add(
                "run.json records no setting that differs. If the command or the program differs, as"
                        + " two builds do, make it a factor of one interleaved run: write {build}"
                        + " in the command of the service, and `matrix: { build: [old.jar,"
                        + " new.jar] }`.");
        List<String> commands = new ArrayList<>();
        if (textsDiffer()) {
            how.add("The two experiments differ in their text. This shows where:");
            commands.add("diff %s %s".formatted(experimentFile(a), experimentFile(b)));
        }
        return new Decision(List.copyOf(how), commands, null);
    }

    private boolean textsDiffer() {
        String of = experiment(a);
        String other = experiment(b);
        return of != null && other != null && !of.equals(other);
    }

    /// Settings, and the folders of the services' JVMs.
    private static SortedMap<String, Values> differing(Match first) {
        SortedMap<String, Values> differing = new TreeMap<>(Differences.settings(first));
        Map<String, Jvm> others = first.b().getFirst().jvms();
        first.a()
                .getFirst()
                .jvms()
                .forEach((service, jvm) -> {
                    Jvm other = others.get(service);
                    if (other != null && !other.home().equals(jvm.home())) {
                        differing.put(service + ".jvm", new Values(jvm.home(), other.home()));
                    }
                });
        return differing;
    }

    private Decision interleaved(SortedMap<String, Values> differing) {
        String factor = factor(differing);
        String text = experiment(a);
        if (text == null) {
            how.add("Add this to the experiment, and give it to `bin/wallfinder run`:");
            return new Decision(List.copyOf(how), List.of(), "matrix:\n  " + factor + "\n");
        }
        String whole = Experiments.with(text, factor);
        try {
            ExperimentFile.parseMatrix(whole, FILE, a.name(), asked -> Optional.of(Path.of(asked)));
        } catch (UsageException e) {
            how.add(
                    "No matrix of this experiment can set %s: %s"
                            .formatted(String.join(", ", differing.keySet()), e.why()));
            return new Decision(List.copyOf(how), List.of(), null);
        }
        how.add(
                "Save this experiment as %s. It measures both values in turn, in the experiment of A:"
                        .formatted(FILE));
        return new Decision(List.copyOf(how), List.of("bin/wallfinder run " + FILE), whole);
    }

    /// One line of a matrix. Several settings that belong together make one factor.
    private static String factor(SortedMap<String, Values> differing) {
        if (differing.size() == 1) {
            Values values = differing.firstEntry().getValue();
            return "%s: [%s, %s]"
                    .formatted(differing.firstKey(), scalar(values.a()), scalar(values.b()));
        }
        return "side: [{ name: A, %s }, { name: B, %s }]"
                .formatted(group(differing, true), group(differing, false));
    }

    private static String group(SortedMap<String, Values> differing, boolean ofA) {
        return differing.entrySet().stream()
                .map(setting ->
                        setting.getKey()
                                + ": "
                                + scalar(ofA ? setting.getValue().a() : setting.getValue().b()))
                .collect(Collectors.joining(", "));
    }

    private static String scalar(String value) {
        return value.matches("[\\w./-]+") ? value : "'" + value.replace("'", "''") + "'";
    }

    private static Path experimentFile(StoredRun run) {
        return run.file().resolveSibling(RunFolder.EXPERIMENT_YAML);
    }

    /// The experiment beside the run's `run.json`, or null.
    private static @Nullable String experiment(StoredRun run) {
        Path file = experimentFile(run);
        try {
            return Files.isRegularFile(file) && Files.size(file) <= EXPERIMENT_BYTES_MAX
                    ? Files.readString(file)
                    : null;
        } catch (IOException e) {
            return null;
        }
    }
}
