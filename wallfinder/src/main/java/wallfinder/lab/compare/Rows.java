package wallfinder.lab.compare;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.lab.find.Bootstrap;
import wallfinder.observation.Quantile;
import wallfinder.record.Comparison;
import wallfinder.record.Comparison.Kind;
import wallfinder.record.Comparison.Result;
import wallfinder.record.StoredRun;
import wallfinder.record.StoredRun.Load;
import wallfinder.record.StoredRun.Trial;

/// The figures, walls and budgets of trials that correspond.
final class Rows {
    /// The same figures give the same resamples.
    private static final long SEED = 20_260_101L;

    /// Shares of failed requests that are this far apart differ.
    private static final double FAILED_SHARE_MIN = 0.001;

    /// So many failed requests are no difference from none, if they are a small share.
    private static final long FAILED_HANDFUL = 5;

    private static final String OTHER_LOADS =
            "The loads differ, so the ratios compare two loads, not two services.";

    private final Match match;
    private final List<Trial> a;
    private final List<Trial> b;
    private final boolean sameLoad;
    private final boolean boundA;
    private final boolean boundB;
    private final List<Comparison.Figure> figures = new ArrayList<>();

    private Rows(Match match) {
        this.match = match;
        a = counted(match.a());
        b = counted(match.b());
        boundA = atGeneratorsLimit(a);
        boundB = atGeneratorsLimit(b);
        boolean searched = match.capacities() != null;
        sameLoad = a.isEmpty() || b.isEmpty() || loads(a, searched).equals(loads(b, searched));
    }

    static Comparison.Row of(Match match) {
        return match.capacities() == null
                ? new Rows(match).row()
                : new Rows(match).ofCapacities(match.capacities());
    }

    /// Leaves trials at the generator's limit out if there are others.
    private static List<Trial> counted(List<Trial> trials) {
        List<Trial> valid = trials.stream().filter(trial -> !trial.invalid()).toList();
        return valid.isEmpty() ? trials : valid;
    }

    private static boolean atGeneratorsLimit(List<Trial> trials) {
        return !trials.isEmpty() && trials.stream().allMatch(Trial::invalid);
    }

    /// @param searched whether their rates are those of a search, which do not count
    private static Set<String> loads(List<Trial> trials, boolean searched) {
        return trials.stream()
                .map(trial ->
                        searched ? Loads.withoutRate(trial.load()) : Loads.describe(trial.load()))
                .collect(Collectors.toSet());
    }

    private Comparison.Row row() {
        if (match.bytes() != null) {
            figures.add(limit(match.bytes()));
        }
        add(Kind.GOOD_PER_SECOND, Load::goodPerSecond);
        add(Kind.P50, Load::p50Micros);
        add(Kind.P99, Load::p99Micros);
        failedShares();
        add(Kind.CPU_MICROS, values(a, Trial::cpuMicros), values(b, Trial::cpuMicros));
        add(Kind.CONNECTS_PER_SECOND, held(StoredRun.Held::connectsPerSecond));
        add(Kind.ALIVE, held(StoredRun.Held::alive));
        return new Comparison.Row(
                match.label(),
                described(a, b, false),
                a.stream().map(Trial::name).toList(),
                b.stream().map(Trial::name).toList(),
                List.copyOf(figures),
                wall(a, match.rungs() == null ? null : match.rungs().a()),
                wall(b, match.rungs() == null ? null : match.rungs().b()),
                budget(a),
                budget(b),
                notes());
    }

    /// The trials of a capacity have rates that the search chose, so their figures decide nothing.
    private Comparison.Row ofCapacities(Match.Capacities both) {
        StoredRun.Capacity of = both.a();
        StoredRun.Capacity other = both.b();
        RatioInterval interval = CapacityRatio.of(of, other);
        figures.add(
                new Comparison.Figure(
                        Kind.CAPACITY,
                        of.perSecond(),
                        other.perSecond(),
                        other.perSecond() / of.perSecond(),
                        interval,
                        result(of, other, interval)));
        return new Comparison.Row(
                match.label(),
                "a Poisson process; " + described(a, b, true),
                a.stream().map(Trial::name).toList(),
                b.stream().map(Trial::name).toList(),
                List.copyOf(figures),
                wall(a, null),
                wall(b, null),
                budget(a),
                budget(b),
                sameLoad ? List.of() : List.of(OTHER_LOADS));
    }

    private Result result(
            StoredRun.Capacity of, StoredRun.Capacity other, @Nullable RatioInterval interval) {
        if (contradicted(of) || contradicted(other)) {
            return Result.NO_INTERVAL;
        }
        if (!sameLoad) {
            return Result.OTHER_LOAD;
        }
        if (isLowerBound(of)) {
            return isLowerBound(other) ? Result.BOTH_ARE_LOWER_BOUNDS : Result.A_IS_LOWER_BOUND;
        }
        return isLowerBound(other) ? Result.B_IS_LOWER_BOUND : effect(interval);
    }

    /// The generator was the limit.
    private static boolean isLowerBound(StoredRun.Capacity capacity) {
        return Double.isInfinite(capacity.high()) && capacity.low() > 0;
    }

    /// Its trials contradict each other, so it has no interval.
    private static boolean contradicted(StoredRun.Capacity capacity) {
        return Double.isInfinite(capacity.high()) && !(capacity.low() > 0);
    }

    private static ToDoubleFunction<Load> held(ToDoubleFunction<StoredRun.Held> figure) {
        return load -> load.held() == null ? Double.NaN : figure.applyAsDouble(load.held());
    }

    private void add(Kind kind, ToDoubleFunction<Load> figure) {
        ToDoubleFunction<Trial> ofTrial =
                trial -> trial.load() == null ? Double.NaN : figure.applyAsDouble(trial.load());
        add(kind, values(a, ofTrial), values(b, ofTrial));
    }

    private static double[] values(List<Trial> trials, ToDoubleFunction<Trial> figure) {
        return trials.stream().mapToDouble(figure).filter(Double::isFinite).toArray();
    }

    /// Leaves out a figure that a run does not have.
    private void add(Kind kind, double[] ofA, double[] ofB) {
        if (ofA.length == 0 || ofB.length == 0) {
            return;
        }
        double medianA = Quantile.median(ofA);
        double medianB = Quantile.median(ofB);
        boolean positive =
                Arrays.stream(ofA).allMatch(v -> v > 0) && Arrays.stream(ofB).allMatch(v -> v > 0);
        RatioInterval interval =
                positive && ofA.length > 1 && ofB.length > 1
                        ? Bootstrap.unpaired(ofA, ofB, new Random(SEED))
                        : null;
        double ratio = interval == null ? medianB / medianA : interval.ratio();
        figures.add(
                new Comparison.Figure(
                        kind,
                        medianA,
                        medianB,
                        Double.isFinite(ratio) ? ratio : Double.NaN,
                        interval,
                        result(kind, interval)));
    }

    private Result result(Kind kind, @Nullable RatioInterval interval) {
        if (!sameLoad) {
            return Result.OTHER_LOAD;
        }
        if (boundA || boundB) {
            return kind != Kind.GOOD_PER_SECOND
                    ? Result.SHOWS_THE_GENERATOR
                    : boundA && boundB
                            ? Result.BOTH_ARE_LOWER_BOUNDS
                            : boundA ? Result.A_IS_LOWER_BOUND : Result.B_IS_LOWER_BOUND;
        }
        return effect(interval);
    }

    private static Result effect(@Nullable RatioInterval interval) {
        if (interval == null) {
            return Result.NO_INTERVAL;
        }
        return switch (interval.effect()) {
            case MORE -> Result.MORE;
            case LESS -> Result.LESS;
            case NONE -> interval.isUnclear() ? Result.UNCLEAR : Result.NONE;
        };
    }

    /// Failures come in bursts, so their share has no interval here.
    private void failedShares() {
        Failed ofA = Failed.of(a);
        Failed ofB = Failed.of(b);
        if (!Double.isNaN(ofA.share()) && !Double.isNaN(ofB.share())) {
            boolean services = sameLoad && !boundA && !boundB;
            figures.add(
                    new Comparison.Figure(
                            Kind.FAILED_SHARE,
                            ofA.share(),
                            ofB.share(),
                            Double.NaN,
                            null,
                            services && ofA.differs(ofB) ? Result.SHARES_DIFFER : Result.SHARES));
        }
    }

    /// The failed requests of all trials together.
    private record Failed(long count, double share) {
        static Failed of(List<Trial> trials) {
            long failed = 0;
            long all = 0;
            for (Trial trial : trials) {
                Load load = trial.load();
                if (load == null || load.failed() == null) {
                    return new Failed(0, Double.NaN);
                }
                failed += load.failed();
                all += load.failed() + load.good();
            }
            return new Failed(failed, all > 0 ? (double) failed / all : Double.NaN);
        }

        boolean differs(Failed other) {
            boolean onlyOne = count == 0 || other.count == 0;
            return Math.abs(share - other.share) >= FAILED_SHARE_MIN
                    || (onlyOne && count + other.count > FAILED_HANDFUL);
        }
    }

    private static Comparison.Figure limit(Match.Bytes bytes) {
        boolean alike = Math.abs(bytes.a() - bytes.b()) <= bytes.step();
        return new Comparison.Figure(
                Kind.LIMIT_BYTES,
                bytes.a(),
                bytes.b(),
                (double) bytes.b() / bytes.a(),
                null,
                alike ? Result.WITHIN_A_STEP : bytes.b() > bytes.a() ? Result.MORE : Result.LESS);
    }

    /// The most frequent verdict, and what moved the wall.
    private static String wall(List<Trial> trials, @Nullable String moved) {
        Map<String, Long> counts =
                trials.stream()
                        .map(trial -> finding(trial.finding()))
                        .collect(
                                Collectors.groupingBy(
                                        Function.identity(),
                                        LinkedHashMap::new,
                                        Collectors.counting()));
        Map.Entry<String, Long> most =
                counts.entrySet().stream().max(Map.Entry.comparingByValue()).orElse(null);
        if (most == null) {
            return "no trial";
        }
        String of =
                most.getValue() == trials.size()
                        ? ""
                        : " (in %d of %d trials)".formatted(most.getValue(), trials.size());
        return most.getKey() + of + (moved == null ? "" : "; moved by " + moved);
    }

    private static String finding(StoredRun.Finding finding) {
        return switch (finding.verdict()) {
            case "named", "invalid" ->
                    "%s, on the %s%s%s"
                            .formatted(
                                    finding.wall(),
                                    finding.end(),
                                    harm(finding.harm()),
                                    finding.verdict().equals("invalid") ? " (invalid)" : "");
            case "unnamed" -> "stopped by no known wall";
            default -> "no wall was reached";
        };
    }

    private static String harm(@Nullable String harm) {
        return switch (harm) {
            case "throughput" -> "; it limits the throughput";
            case "errors" -> "; it causes errors";
            case "latency" -> "; it makes the latency long";
            case null, default -> "";
        };
    }

    /// The medians of the trials' parts.
    private static StoredRun.@Nullable Budget budget(List<Trial> trials) {
        List<StoredRun.Budget> all =
                trials.stream().map(Trial::budget).filter(Objects::nonNull).toList();
        List<Map<String, Double>> alone =
                all.stream().map(StoredRun.Budget::alone).filter(Objects::nonNull).toList();
        return all.isEmpty()
                ? null
                : new StoredRun.Budget(
                        alone.isEmpty() ? null : medians(alone),
                        medians(all.stream().map(StoredRun.Budget::loaded).toList()));
    }

    private static Map<String, Double> medians(List<Map<String, Double>> all) {
        Set<String> parts = new LinkedHashSet<>();
        all.forEach(one -> parts.addAll(one.keySet()));
        Map<String, Double> medians = new LinkedHashMap<>();
        for (String part : parts) {
            medians.put(
                    part,
                    Quantile.median(
                            all.stream()
                                    .mapToDouble(one -> one.getOrDefault(part, 0.0))
                                    .toArray()));
        }
        return medians;
    }

    private List<String> notes() {
        List<String> notes = new ArrayList<>();
        if (!sameLoad) {
            notes.add(OTHER_LOADS);
        }
        if (boundA || boundB) {
            notes.add(
                    ("In %s the load generator was the limit: the service could do more, and the"
                                    + " response times are those of a busy generator.")
                            .formatted(boundA && boundB ? "both" : boundA ? "A" : "B"));
        }
        addOneProcess(notes, "A", a);
        addOneProcess(notes, "B", b);
        return List.copyOf(notes);
    }

    private String described(List<Trial> of, List<Trial> other, boolean searched) {
        return sameLoad
                ? described(of, searched)
                : "A: %s; B: %s".formatted(described(of, searched), described(other, searched));
    }

    private static String described(List<Trial> trials, boolean searched) {
        return loads(trials, searched).stream().sorted().collect(Collectors.joining(" and "));
    }

    /// Fresh processes differ more than repeated measurements of one process.
    private static void addOneProcess(List<String> notes, String side, List<Trial> trials) {
        Set<Set<Integer>> processes = new HashSet<>();
        trials.forEach(trial -> processes.add(trial.pids()));
        if (trials.size() > 1 && processes.size() == 1 && !trials.getFirst().pids().isEmpty()) {
            notes.add(
                    ("The %d trials of %s measured one process. The interval shows how well the"
                                    + " measurement repeats, not how much fresh processes differ.")
                            .formatted(trials.size(), side));
        }
    }
}
