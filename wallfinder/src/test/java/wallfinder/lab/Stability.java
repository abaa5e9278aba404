package wallfinder.lab;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import wallfinder.record.RunRecord;

/// Measures each case of the catalogue and each cell of some studies several times, and prints how
/// often the headline was the same (its verdict, its wall and its end) and how often it was wrong.
///
/// Each round draws the numbers of its cases anew, with the next seed: a case has one right
/// headline, whatever its numbers are. The rounds alternate in their order, so that a drift of the
/// host does not hit the same cases.
///
/// It takes hours, so it goes on where an earlier one of the same commit ended: attempts that the
/// table already has are counted, and not repeated.
final class Stability {
    /// A measurement that got too little CPU is repeated at once, up to this many attempts.
    private static final int ATTEMPTS_MAX = 3;

    private static final String KEPT = "bench/stability.tsv";
    private static final String COLUMNS =
            "date\tcommit\tseed\tround\tcase\theadline\tseconds\tcpu\twrong\n";
    private static final int EXIT_UNSTABLE = 1;
    private static final int EXIT_USAGE = 2;
    private static final int EXIT_MISSING = 3;

    private final Path root;
    private final Path folder;
    private final String commit;
    private final long seed;
    private final CataloguePrograms programs;
    private final PrintStream out;
    private final List<Attempt> earlier;
    private final HeadlineTally tally = new HeadlineTally();
    private final List<String> wrongOnes = new ArrayList<>();
    private int judged;
    private int measured;
    private volatile boolean interrupted;

    /// A row of the table.
    ///
    /// @param round from 1
    private record Attempt(
            String commit,
            long seed,
            int round,
            String name,
            String headline,
            double seconds,
            boolean starved,
            String wrong) {
        private static final String STARVED = "starved";

        /// The attempts of a table, which need not exist.
        static List<Attempt> all(Path table) throws IOException {
            return Files.exists(table)
                    ? Files.readAllLines(table).stream().skip(1).map(Attempt::of).toList()
                    : List.of();
        }

        private static Attempt of(String row) {
            String[] cells = row.split("\t", -1);
            return new Attempt(
                    cells[1],
                    Long.parseLong(cells[2]),
                    Integer.parseInt(cells[3]),
                    cells[4],
                    cells[5],
                    Double.parseDouble(cells[6]),
                    cells[7].equals(STARVED),
                    cells[8]);
        }

        List<String> cells() {
            return List.of(
                    Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                    commit,
                    Long.toString(seed),
                    Integer.toString(round),
                    name,
                    headline,
                    "%.1f".formatted(seconds),
                    starved ? STARVED : "enough",
                    wrong);
        }

        boolean isOf(String commit, long seed, String name) {
            return this.commit.equals(commit) && this.seed == seed && this.name.equals(name);
        }
    }

    private Stability(Path root, Path folder, String commit, long seed, PrintStream out)
            throws IOException {
        this.root = root;
        this.folder = folder;
        this.commit = commit;
        this.seed = seed;
        this.programs = new CataloguePrograms(folder);
        this.out = out;
        this.earlier = Attempt.all(root.resolve(KEPT));
    }

    /// Arguments: the project's folder, its commit, the number of rounds, the seed, and the names
    /// of cases, cells or studies. Without names it measures all.
    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]);
        int times = Integer.parseInt(arguments[2]);
        long seed = Long.parseLong(arguments[3]);
        Set<String> names = new LinkedHashSet<>(List.of(arguments).subList(4, arguments.length));
        List<List<Repeated>> rounds = new ArrayList<>();
        for (int round = 0; round < times; round++) {
            rounds.add(selected(names, Repeated.all(root, seed + round)));
        }
        Path folder = Files.createTempDirectory("wallfinder-stability-");
        RaisedPriority.raiseChildren();
        int exit;
        try {
            Stability stability = new Stability(root, folder, arguments[1], seed, System.out);
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> stability.interrupted = true, "interrupted"));
            exit = stability.run(rounds);
        } finally {
            BenchFolder.delete(folder);
        }
        System.exit(exit);
    }

    private static List<Repeated> selected(Set<String> names, List<Repeated> all) {
        for (String name : names) {
            if (all.stream().noneMatch(repeated -> isNamed(repeated, Set.of(name)))) {
                System.err.println(
                        "There is no case, cell or study "
                                + name
                                + "; there are "
                                + all.stream().map(Repeated::name).toList());
                System.exit(EXIT_USAGE);
            }
        }
        return all.stream()
                .filter(repeated -> names.isEmpty() || isNamed(repeated, names))
                .toList();
    }

    private static boolean isNamed(Repeated repeated, Set<String> names) {
        return names.contains(repeated.name()) || names.contains(repeated.group());
    }

    private int run(List<List<Repeated>> rounds) throws IOException, InterruptedException {
        List<Repeated> all = rounds.getFirst();
        Set<String> missing = new LinkedHashSet<>();
        for (Repeated repeated : all) {
            if (!repeated.missing().isEmpty()) {
                missing.add(repeated.name());
                out.printf("not run: %s: there is no %s%n", repeated.name(), repeated.missing());
            }
        }
        out.printf(
                "seeds %d to %d, %d cases, %d times each%n",
                seed, seed + rounds.size() - 1, all.size() - missing.size(), rounds.size());
        for (int round = 1; round <= rounds.size(); round++) {
            List<Repeated> cases = rounds.get(round - 1);
            for (Repeated repeated : round % 2 == 0 ? cases.reversed() : cases) {
                if (!missing.contains(repeated.name())) {
                    measure(repeated, round);
                }
            }
        }
        out.printf("%n%s", tally.summary());
        out.printf(
                "%d of %d verdicts of the catalogue were as expected; wrong: %s%n",
                judged - wrongOnes.size(), judged, wrongOnes);
        if (!tally.isStable()) {
            return EXIT_UNSTABLE;
        }
        return missing.isEmpty() ? 0 : EXIT_MISSING;
    }

    private void measure(Repeated repeated, int round) throws IOException, InterruptedException {
        List<Attempt> kept =
                earlier.stream()
                        .filter(one -> one.isOf(commit, seed + round - 1, repeated.name()))
                        .toList();
        kept.forEach(one -> count(repeated, one, round));
        int attempts = kept.size();
        boolean starved = kept.stream().allMatch(Attempt::starved);
        while (starved && attempts < ATTEMPTS_MAX) {
            starved = attempt(repeated, round).starved();
            attempts++;
        }
    }

    private Attempt attempt(Repeated repeated, int round) throws IOException, InterruptedException {
        Path own = Files.createDirectory(folder.resolve(repeated.name() + "-" + ++measured));
        long start = System.nanoTime();
        String headline;
        String details;
        boolean starved = false;
        List<String> wrong;
        try {
            RunRecord.Trial trial = repeated.measure(root, programs, own);
            headline = HeadlineTally.headline(trial.diagnosis());
            starved = repeated.starved(trial);
            details = PlantedRun.describe(trial);
            wrong = repeated.wrong(trial);
        } catch (Exception e) {
            if (interrupted) {
                throw new InterruptedException("the services of the attempt may have ended first");
            }
            headline = "error";
            details = String.valueOf(e);
            wrong = List.of(details);
        }
        Attempt attempt =
                new Attempt(
                        commit,
                        seed + round - 1,
                        round,
                        repeated.name(),
                        headline,
                        (System.nanoTime() - start) / 1e9,
                        starved,
                        String.join("; ", wrong).replaceAll("\\s+", " "));
        boolean differs = round > 1 && tally.isNew(repeated.name(), headline);
        count(repeated, attempt, round);
        BenchFolder.appendRow(root.resolve(KEPT), COLUMNS, attempt.cells());
        if (differs || !wrong.isEmpty()) {
            out.println(details);
        }
        return attempt;
    }

    private void count(Repeated repeated, Attempt attempt, int round) {
        tally.add(repeated.name(), repeated.description(), attempt.headline(), attempt.starved());
        if (!attempt.starved() && repeated instanceof Repeated.Planted) {
            judged++;
            if (!attempt.wrong().isEmpty()) {
                wrongOnes.add(repeated.name() + " in round " + round);
            }
        }
        out.printf(
                "round %d %5.1f s  %-34s %s%s%s%n",
                round,
                attempt.seconds(),
                repeated.name(),
                attempt.headline(),
                attempt.starved() ? " (starved)" : "",
                attempt.wrong().isEmpty() ? "" : " WRONG: " + attempt.wrong());
    }
}
