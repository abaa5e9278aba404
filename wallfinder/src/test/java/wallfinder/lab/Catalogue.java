package wallfinder.lab;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Judgement;
import wallfinder.observation.Observation;
import wallfinder.record.RunRecord;

/// Measures every planted wall and every control, and compares each verdict with the expected one.
///
/// Appends each attempt to a file. On a shared machine the generator or the service may not get its
/// CPU. Such an attempt counts as starved and is repeated, whether its verdict is right or wrong.
final class Catalogue {
    private static final int ATTEMPTS_MAX = 6;
    private static final String KEPT = "bench/diagnosis.tsv";
    private static final String COLUMNS =
            "date\tcommit\tseed\tcase\texpected\tgot\tend\tharms\talso\tseconds\tresult\tnote\n";

    private static final int EXIT_WRONG = 1;
    private static final int EXIT_USAGE = 2;
    private static final int EXIT_MISSING = 3;

    /// How an attempt ended.
    enum Result {
        RIGHT("right"),
        WRONG("WRONG"),
        STARVED("starved"),
        /// The verdict is right, but the control stayed too far below its limit to prove anything.
        EASY("easy"),
        NOT_RUN("not-run");

        private final String word;

        Result(String word) {
            this.word = word;
        }

        /// Whether another attempt may give a clearer result.
        boolean isRepeated() {
            return this == STARVED || this == EASY;
        }
    }

    private final Path root;
    private final Path folder;
    private final String commit;
    private final long seed;
    private final CataloguePrograms programs;
    private final boolean record;
    private final PrintStream out;
    private final ConfusionMatrix matrix = new ConfusionMatrix();
    private final Map<Result, List<String>> namesByResult = new EnumMap<>(Result.class);

    private Catalogue(
            Path root, Path folder, String commit, long seed, boolean record, PrintStream out) {
        this.root = root;
        this.folder = folder;
        this.commit = commit;
        this.seed = seed;
        this.programs = new CataloguePrograms(folder);
        this.out = out;
        this.record = record;
    }

    /// Arguments: the project's folder, its commit, `record` or `judge`, the seed, and the names of
    /// cases. Without names it measures all cases.
    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]);
        long seed = Long.parseLong(arguments[3]);
        List<String> names = List.of(arguments).subList(4, arguments.length);
        List<CatalogueCase> cases = CatalogueCase.all(root, seed);
        List<String> known = cases.stream().map(CatalogueCase::name).toList();
        for (String name : names) {
            if (!known.contains(name)) {
                System.err.println("There is no case " + name + "; there are " + known);
                System.exit(EXIT_USAGE);
            }
        }
        Path folder = Files.createTempDirectory("wallfinder-diagnosis-");
        RaisedPriority.raiseChildren();
        int exit;
        try {
            boolean record = arguments[2].equals("record");
            Catalogue catalogue =
                    new Catalogue(root, folder, arguments[1], seed, record, System.out);
            cases.removeIf(planted -> !names.isEmpty() && !names.contains(planted.name()));
            exit = catalogue.run(cases);
        } finally {
            BenchFolder.delete(folder);
        }
        System.exit(exit);
    }

    private int run(List<CatalogueCase> cases) throws Exception {
        out.printf("seed %d, %d cases%n", seed, cases.size());
        for (CatalogueCase planted : cases) {
            Result result = run(planted);
            namesByResult.computeIfAbsent(result, key -> new ArrayList<>()).add(planted.name());
        }
        out.printf("%n%s%n", matrix.table());
        out.printf(
                "%d cases: %d right, wrong %s, always starved %s, always easy %s, not run %s%n",
                cases.size(),
                names(Result.RIGHT).size(),
                names(Result.WRONG),
                names(Result.STARVED),
                names(Result.EASY),
                names(Result.NOT_RUN));
        if (names(Result.RIGHT).size() + names(Result.NOT_RUN).size() < cases.size()) {
            return EXIT_WRONG;
        }
        return names(Result.NOT_RUN).isEmpty() ? 0 : EXIT_MISSING;
    }

    private List<String> names(Result result) {
        return namesByResult.getOrDefault(result, List.of());
    }

    private Result run(CatalogueCase planted) throws Exception {
        List<String> missing = CataloguePrograms.missing(planted);
        if (!missing.isEmpty()) {
            keep(planted, "", "", "", "", 0, Result.NOT_RUN, "there is no " + missing);
            return Result.NOT_RUN;
        }
        Result result = Result.STARVED;
        for (int attempt = 1; attempt <= ATTEMPTS_MAX && result.isRepeated(); attempt++) {
            Path attemptFolder =
                    Files.createDirectory(folder.resolve(planted.name() + "-" + attempt));
            result = attempt(planted, attemptFolder);
        }
        return result;
    }

    private Result attempt(CatalogueCase planted, Path attemptFolder) throws Exception {
        long start = System.nanoTime();
        try {
            RunRecord.Trial trial = planted.measure(root, programs, attemptFolder);
            return judge(planted, trial, (System.nanoTime() - start) / 1e9);
        } catch (RuntimeException | IOException e) {
            String note = String.valueOf(e).replaceAll("\\s+", " ");
            matrix.add(planted.expects().text(), "error");
            double seconds = (System.nanoTime() - start) / 1e9;
            keep(planted, "error", "", "", "", seconds, Result.WRONG, note);
            return Result.WRONG;
        }
    }

    private Result judge(CatalogueCase planted, RunRecord.Trial trial, double seconds)
            throws IOException {
        Expectation expects = planted.expects();
        List<String> wrong = wrong(planted, trial.observation());
        Result result = result(planted, trial, wrong);
        String got = expects.textOf(trial.diagnosis());
        if (!result.isRepeated()) {
            matrix.add(expects.text(), got);
        }
        var headline = trial.diagnosis().headline();
        String also =
                trial.diagnosis().also().stream()
                        .map(b -> b.wall().id().word() + " " + b.end().word() + " " + harms(b))
                        .collect(Collectors.joining(", "));
        keep(
                planted,
                got,
                headline == null ? "" : headline.end().word(),
                headline == null ? "" : harms(headline),
                also,
                seconds,
                result,
                String.join("; ", wrong.isEmpty() ? hardness(planted, trial) : wrong));
        if (record && result == Result.RIGHT) {
            record(planted, trial.observation());
        }
        if (result == Result.WRONG) {
            out.println(PlantedRun.describe(trial));
        }
        return result;
    }

    private static Result result(CatalogueCase planted, RunRecord.Trial trial, List<String> wrong) {
        if (planted.starved(trial)) {
            return Result.STARVED;
        }
        if (wrong.isEmpty()) {
            return Result.RIGHT;
        }
        boolean onlyEasy = planted.expects().wrong(trial.diagnosis()).isEmpty();
        return onlyEasy ? Result.EASY : Result.WRONG;
    }

    private static String harms(Judgement.Binds binds) {
        Harm harm = binds.harm();
        return harm == null ? "" : harm.word();
    }

    /// Writes the observation with fewer instants if the verdict stays the same.
    private void record(CatalogueCase planted, Observation observation) throws IOException {
        RecordedObservation all = new RecordedObservation(seed, observation);
        RecordedObservation thin = all.thinned(RecordedObservation.INSTANTS_MAX);
        boolean same = wrong(planted, thin.observation()).isEmpty();
        Path file =
                root.resolve(RecordedObservation.FOLDER)
                        .resolve(planted.name() + RecordedObservation.END);
        (same ? thin : all.thinned(Integer.MAX_VALUE)).write(file);
    }

    /// What is wrong with the diagnosis of an observation; empty if it is as expected.
    static List<String> wrong(CatalogueCase planted, Observation observation) {
        List<String> wrong = new ArrayList<>(planted.expects().wrong(Diagnosis.of(observation)));
        wrong.addAll(tooEasy(planted, observation));
        return wrong;
    }

    private static List<String> tooEasy(CatalogueCase planted, Observation observation) {
        return planted.hard().stream()
                .filter(hard -> !(hard.share(observation) >= HardBound.SHARE_MIN))
                .map(hard -> "not hard: %s is %.2f".formatted(hard.text(), hard.share(observation)))
                .toList();
    }

    /// The share of each limit that a control reached.
    private static List<String> hardness(CatalogueCase planted, RunRecord.Trial trial) {
        return planted.hard().stream()
                .map(hard -> "%.2f of %s".formatted(hard.share(trial.observation()), hard.text()))
                .toList();
    }

    private void keep(
            CatalogueCase planted,
            String got,
            String end,
            String harms,
            String also,
            double seconds,
            Result result,
            String note)
            throws IOException {
        out.printf(
                "%-7s %5.1f s  %-32s %s%s%s%n",
                result.word,
                seconds,
                planted.name(),
                got,
                also.isEmpty() ? "" : " (also " + also + ")",
                note.isEmpty() ? "" : ": " + note);
        BenchFolder.appendRow(
                root.resolve(KEPT),
                COLUMNS,
                List.of(
                        Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                        commit,
                        Long.toString(seed),
                        planted.name(),
                        planted.expects().text(),
                        got,
                        end,
                        harms,
                        also,
                        "%.1f".formatted(seconds),
                        result.word,
                        note));
    }
}
