package wallfinder.lab.fit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.JvmOption;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Quantity;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.Setting;
import wallfinder.lab.study.TrialFigures;
import wallfinder.observation.Quantile;
import wallfinder.record.FitRecord;
import wallfinder.sampling.ClassArchive;
import wallfinder.sampling.JvmCensus;

/// Turns the settings on which a service's memory depends, one after another, and keeps those that
/// gain. All trials have the same limit. A turn gains if each of its trials needs less
/// unreclaimable memory than every earlier trial, which is a finer comparison than a search for
/// limits.
///
/// Options go into a variable that every HotSpot JVM reads. An option on the JVM's command line
/// overrides the variable, so that such a turn gains nothing.
final class FitTurning {
    private static final int TRIALS = FitSearch.PASSES;

    /// Heap sizes as multiples of the live data. Each is tried unless the previous one was too
    /// small.
    private static final double[] HEAP_ROOMS = {2, 1.5, 1.2};

    /// The share of the compiled code that fits. The JVM then has to discard unused code.
    private static final double CODE_PART = 0.75;

    /// Runs one trial.
    interface Trying {
        /// @param at a word for the trial's name
        FitTrial trial(Experiment experiment, String at, FitTrialRunner.Inquiry inquiry);
    }

    private final String service;
    private final FitCandidate from;
    private final long limitBytes;
    private final Path archive;
    private final Map<String, String> inherited;
    private final Trying trying;
    private final Consumer<String> progress;
    private final Map<String, String> options = new LinkedHashMap<>();
    private final List<FitRecord.Turn> turns = new ArrayList<>();
    private Experiment best;
    private List<FitTrial> before;

    /// @param from a candidate with a smallest limit
    /// @param archive the path for a class archive
    /// @param inherited the environment that the service inherits
    FitTurning(
            String service,
            FitCandidate from,
            Path archive,
            Map<String, String> inherited,
            Trying trying,
            Consumer<String> progress) {
        this.service = service;
        this.from = from;
        this.archive = archive;
        this.inherited = inherited;
        this.trying = trying;
        this.progress = progress;
        best = from.experiment;
        FitSearch search = Objects.requireNonNull(from.warm);
        limitBytes = search.smallest();
        before = search.at(limitBytes);
    }

    void run() {
        FitTrial calibration = Objects.requireNonNull(from.calibration);
        if (calibration.census() != null) {
            turnJvm();
        }
        for (Map.Entry<String, Knob> knob : best.service(service).knobs().entrySet()) {
            turnKnob(knob.getKey(), knob.getValue());
        }
    }

    /// The experiment with every setting that gains.
    Experiment best() {
        return best;
    }

    boolean gained() {
        return turns.stream().anyMatch(FitRecord.Turn::kept);
    }

    /// @param candidate the name of the turned candidate
    FitRecord.Turning result(String candidate) {
        return new FitRecord.Turning(
                from.name, gained() ? candidate : null, limitBytes, List.copyOf(turns));
    }

    private void turnJvm() {
        turnOption("C1 alone", "compiler", "-XX:TieredStopAtLevel=1");
        turnOption("the serial collector", "collector", "-XX:+UseSerialGC");
        turnOption(
                "an archive of classes that stays where it was dumped",
                "relocation",
                "-XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0");
        JvmCensus census = turnArchive();
        if (census == null) {
            return;
        }
        if (census.codeBytes() > 0) {
            turnOption(
                    "less room for compiled code",
                    "code",
                    "-XX:ReservedCodeCacheSize=" + megabytes(CODE_PART * census.codeBytes()));
        }
        if (census.mostLiveBytes() > 0) {
            turnHeap(census.mostLiveBytes());
        }
    }

    /// Goes on after a heap that gains nothing, because the JVM's default heap may be smaller.
    private void turnHeap(double liveBytes) {
        boolean small = false;
        for (int i = 0; i < HEAP_ROOMS.length && !small; i++) {
            turnOption("a smaller heap", "heap", "-Xmx" + megabytes(HEAP_ROOMS[i] * liveBytes));
            small = Double.isNaN(turns.getLast().bytes());
        }
    }

    private static String megabytes(double bytes) {
        return Math.max(1, Math.round(bytes / FitLife.MEGABYTE)) + "m";
    }

    /// Lets a JVM with all kept options and the generous limit write a class archive.
    ///
    /// @return what its memory contains, or null if it does not answer
    private @Nullable JvmCensus turnArchive() {
        boolean[] written = {false};
        FitTrial trial =
                trying.trial(
                        with(Map.of("recording", ClassArchive.RECORDING)),
                        "archive",
                        new FitTrialRunner.Inquiry(
                                true, pids -> written[0] = ClassArchive.write(pids, archive)));
        String what = "an archive of the service's classes, too";
        String option = "-XX:SharedArchiveFile=" + archive.toAbsolutePath();
        if (written[0]) {
            turnOption(what, "archive", option);
        } else {
            add(what, option, List.of(), "none could be made");
        }
        return trial.census() != null
                ? trial.census()
                : Objects.requireNonNull(from.calibration).census();
    }

    private Experiment with(Map<String, String> more) {
        ServiceSpec spec = best.service(service);
        Map<String, String> all = new LinkedHashMap<>(options);
        all.putAll(more);
        Map<String, String> own = from.experiment.service(service).env();
        Map<String, String> environment = new LinkedHashMap<>(spec.env());
        environment.put(
                JvmOption.TOOL_OPTIONS,
                JvmOption.toolOptions(own, inherited, String.join(" ", all.values())));
        return best.with(spec.with(spec.command(), spec.jvm(), environment));
    }

    private void turnOption(String what, String key, String option) {
        if (turn(what, option, with(Map.of(key, option)))) {
            options.put(key, option);
        }
    }

    private void turnKnob(String name, Knob knob) {
        Setting setting = new Setting.OfKnob(service, name);
        for (String value : values(knob)) {
            if (turn("less of " + name, name + "=" + value, best.with(setting, value))) {
                break;
            }
        }
    }

    /// The experiment's values for a knob. Without them, for a number: 1, then its square root.
    private static Set<String> values(Knob knob) {
        Set<String> values = new LinkedHashSet<>(knob.to());
        if (values.isEmpty() && knob.value().matches("\\d{1,9}")) {
            values.add("1");
            values.add(Long.toString(Math.round(Math.sqrt(Long.parseLong(knob.value())))));
        }
        values.remove(knob.value());
        return values;
    }

    private boolean turn(String what, String set, Experiment turned) {
        Experiment limited =
                turned.with(
                        new Setting.OfLimit(service, Limits.Kind.MEMORY),
                        Quantity.bytesText(limitBytes));
        double least = DoubleStream.of(peaks(before)).min().orElse(Double.NaN);
        List<FitTrial> trials = new ArrayList<>();
        while (trials.size() < TRIALS) {
            FitTrial trial =
                    trying.trial(limited, "turn" + (turns.size() + 1), FitTrialRunner.Inquiry.NONE);
            trials.add(trial);
            if (!trial.ok()) {
                add(what, set, List.of(), Objects.requireNonNull(trial.kind()).word());
                return false;
            }
            if (!(peak(trial) < least - FitRemainder.MARGIN)) {
                add(what, set, trials, "no less than before");
                return false;
            }
        }
        add(what, set, trials, null);
        best = turned;
        before = trials;
        return true;
    }

    /// @param dropped why the turn is not kept, or null if it is kept
    private void add(String what, String set, List<FitTrial> trials, @Nullable String dropped) {
        FitRecord.Turn turn =
                new FitRecord.Turn(
                        what,
                        set,
                        Quantile.median(peaks(before)),
                        Quantile.median(peaks(trials)),
                        Quantile.median(rates(before)),
                        Quantile.median(rates(trials)),
                        dropped == null,
                        dropped);
        turns.add(turn);
        progress.accept(
                "  %s, %s: %s"
                        .formatted(
                                what,
                                set,
                                dropped == null
                                        ? "kept, %.0f MB -> %.0f MB"
                                                .formatted(
                                                        turn.beforeBytes() / FitLife.MEGABYTE,
                                                        turn.bytes() / FitLife.MEGABYTE)
                                        : "dropped, " + dropped));
    }

    private static double peak(FitTrial trial) {
        return trial.life().peak().bytes();
    }

    private static double[] peaks(List<FitTrial> trials) {
        return trials.stream().mapToDouble(FitTurning::peak).toArray();
    }

    private static double[] rates(List<FitTrial> trials) {
        return trials.stream()
                .map(FitTrial::trial)
                .filter(Objects::nonNull)
                .mapToDouble(trial -> TrialFigures.of(trial).perSecond())
                .toArray();
    }
}
