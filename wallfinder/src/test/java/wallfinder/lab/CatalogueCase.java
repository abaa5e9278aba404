package wallfinder.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.record.RunRecord;

/// One case of the catalogue: an experiment whose leading comment says what is planted in it.
///
/// Some lines of that comment begin with a keyword: `expects:` the verdict (see [Expectation]);
/// `also:` walls that must bind, too; `maybe:` walls that may bind, too; `not:` walls that must be
/// ruled out; `hard:` how near a control comes to one of these (see [HardBound]); `nginx:`
/// directives for nginx's `server` section, which may use the zones `limit_conn atonce N` and
/// `limit_req zone=rate` (400 a second); `burners:` the number of programs that take the
/// generator's CPU; and `neighbours:` the number of those that take the CPU of the services. The
/// seed chooses a number for `<64..96>`. It chooses one for `<n:64..96>`, which `<n>` and `<n*2>`
/// repeat.
///
/// @param planted the other lines of that comment: what is planted
/// @param yaml the experiment with its chosen numbers
record CatalogueCase(
        String name,
        String planted,
        Expectation expects,
        List<HardBound> hard,
        List<String> nginx,
        int burners,
        int neighbours,
        String yaml) {
    static final String FOLDER = "bench/catalogue";

    private static final Pattern KEYWORD =
            Pattern.compile("(expects|also|maybe|not|hard|nginx|burners|neighbours): +(.*)");
    private static final Pattern NUMBER =
            Pattern.compile("<(?:([a-z]+):)?(\\d+)\\.\\.(\\d+)>|<([a-z]+)(?:\\*(\\d+))?>");
    private static final String END = ".yaml";

    /// All cases, sorted by name.
    static List<CatalogueCase> all(Path root, long seed) throws IOException {
        try (Stream<Path> files = Files.list(root.resolve(FOLDER))) {
            List<CatalogueCase> cases = new ArrayList<>();
            for (Path file : files.filter(f -> f.toString().endsWith(END)).sorted().toList()) {
                String name = String.valueOf(file.getFileName()).replace(END, "");
                cases.add(of(name, Files.readString(file), seed));
            }
            return cases;
        }
    }

    static CatalogueCase of(String name, String text, long seed) {
        String chosen = chosen(text, new Random(seed * 1_000_003 + name.hashCode()));
        Map<String, List<String>> values = new HashMap<>();
        List<String> planted = new ArrayList<>();
        for (String line : chosen.lines().takeWhile(line -> line.startsWith("#")).toList()) {
            Matcher keyword = KEYWORD.matcher(line.substring(1).strip());
            if (keyword.matches()) {
                values.computeIfAbsent(keyword.group(1), key -> new ArrayList<>())
                        .add(keyword.group(2).strip());
            } else {
                planted.add(line.substring(1).strip());
            }
        }
        return new CatalogueCase(
                name,
                String.join(" ", planted),
                Expectation.of(
                        values.getOrDefault("expects", List.of("nothing")).getFirst(),
                        words(values.get("also")),
                        words(values.get("maybe")),
                        words(values.get("not"))),
                values.getOrDefault("hard", List.of()).stream().map(HardBound::of).toList(),
                values.getOrDefault("nginx", List.of()),
                count(values.get("burners")),
                count(values.get("neighbours")),
                chosen);
    }

    /// Whether the case plants a wall; otherwise it is a control.
    boolean isPlant() {
        return expects.not().isEmpty();
    }

    /// Measures the case once, in a fresh sandbox.
    ///
    /// @param own an empty folder for this measurement
    RunRecord.Trial measure(Path root, CataloguePrograms programs, Path own) throws Exception {
        List<Process> others = new ArrayList<>(CataloguePrograms.burners(burners, 0));
        others.addAll(CataloguePrograms.neighbours(neighbours));
        try (PlantedRun run = new PlantedRun(root, own)) {
            Experiment experiment = run.experiment(programs.made(this, own));
            int connections = experiment.load().connections();
            return run.single(experiment, connections, name);
        } finally {
            others.forEach(Process::destroyForcibly);
        }
    }

    /// Whether other programs took CPU from this measurement. If the case starts burners itself,
    /// only CPU that a hypervisor took counts.
    boolean starved(RunRecord.Trial trial) {
        return startsOthers()
                ? PlantedRun.has(trial, "noisy-host") || PlantedRun.has(trial, "lost-ticks")
                : PlantedRun.starved(trial);
    }

    boolean startsOthers() {
        return burners + neighbours > 0;
    }

    private static int count(@Nullable List<String> lines) {
        return lines == null ? 0 : Integer.parseInt(lines.getFirst());
    }

    private static List<String> words(@Nullable List<String> lines) {
        return lines == null
                ? List.of()
                : lines.stream().flatMap(line -> Stream.of(line.split("[ ,]+"))).toList();
    }

    private static String chosen(String text, Random random) {
        Map<String, Long> names = new HashMap<>();
        return NUMBER.matcher(text)
                .replaceAll(found -> {
                    if (found.group(2) == null) {
                        long factor = found.group(5) == null ? 1 : Long.parseLong(found.group(5));
                        Long value = names.get(found.group(4));
                        if (value == null) {
                            throw new IllegalArgumentException(
                                    "there is no number " + found.group());
                        }
                        return Long.toString(value * factor);
                    }
                    long from = Long.parseLong(found.group(2));
                    long value = random.nextLong(from, Long.parseLong(found.group(3)) + 1);
                    if (found.group(1) != null) {
                        names.put(found.group(1), value);
                    }
                    return Long.toString(value);
                });
    }
}
