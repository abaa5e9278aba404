package wallfinder.lab;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

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

/// Runs every planted wall and every control, and holds each verdict against what it has to be.
///
/// Each attempt is a line in a file that is kept. On a machine that others use too, generator and
/// service may not get their CPU. Such an attempt counts as starved and is repeated, whether its
/// verdict is right or wrong.
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
        /// The verdict is right, and a control did not come near enough to what it must not be
        /// taken for: it proves nothing.
        EASY("easy"),
        NOT_RUN("not-run");

        private final String word;

        Result(String word) {
            this.word = word;
        }

        /// Whether another attempt may give a clearer result.
        boolean again() {
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
    private final Map<Result, List<String>> ended = new EnumMap<>(Result.class);

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
    /// cases; none: all.
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
        RaisedPriority.ofAllThatIsStarted();
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
            ended.computeIfAbsent(result, key -> new ArrayList<>()).add(planted.name());
        }
        out.printf("%n%s%n", matrix.table());
        out.printf(
                "%d cases: %d right, wrong %s, always starved %s, always easy %s, not run %s%n",
                cases.size(),
                ended(Result.RIGHT).size(),
                ended(Result.WRONG),
                ended(Result.STARVED),
                ended(Result.EASY),
                ended(Result.NOT_RUN));
        if (ended(Result.RIGHT).size() + ended(Result.NOT_RUN).size() < cases.size()) {
            return EXIT_WRONG;
        }
        return ended(Result.NOT_RUN).isEmpty() ? 0 : EXIT_MISSING;
    }

    private List<String> ended(Result result) {
        return ended.getOrDefault(result, List.of());
    }

    private Result run(CatalogueCase planted) throws Exception {
        List<String> missing = CataloguePrograms.missing(planted);
        if (!missing.isEmpty()) {
            keep(planted, "", "", "", "", 0, Result.NOT_RUN, "there is no " + missing);
            return Result.NOT_RUN;
        }
        Result result = Result.STARVED;
        for (int attempt = 1; attempt <= ATTEMPTS_MAX && result.again(); attempt++) {
            Path own = Files.createDirectory(folder.resolve(planted.name() + "-" + attempt));
            result = attempt(planted, own);
        }
        return result;
    }

    private Result attempt(CatalogueCase planted, Path own) throws Exception {
        long start = System.nanoTime();
        try {
            RunRecord.Trial trial = planted.measure(root, programs, own);
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
        if (!result.again()) {
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

    /// Thinned as far as it is still judged the same way.
    private void record(CatalogueCase planted, Observation observation) throws IOException {
        RecordedObservation all = new RecordedObservation(seed, observation);
        RecordedObservation thin = all.thinned(RecordedObservation.INSTANTS_MAX);
        boolean same = wrong(planted, thin.observation()).isEmpty();
        Path file =
                root.resolve(RecordedObservation.FOLDER)
                        .resolve(planted.name() + RecordedObservation.END);
        (same ? thin : all.thinned(Integer.MAX_VALUE)).write(file);
    }

    /// All that is wrong with what comes of an observation; nothing if it is as it has to be.
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

    /// How near a control came to each of its limits.
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
        Path file = root.resolve(KEPT);
        String head = Files.exists(file) ? "" : COLUMNS;
        String line =
                String.join(
                        "\t",
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
                        note);
        Files.writeString(file, head + line + "\n", CREATE, APPEND);
    }
}
