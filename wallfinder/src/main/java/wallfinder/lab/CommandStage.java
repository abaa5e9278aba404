package wallfinder.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.experiment.Limits;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Objective;
import wallfinder.experiment.Readiness;
import wallfinder.experiment.ServiceSpec;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Names;
import wallfinder.observation.Observation;
import wallfinder.observation.Reader;
import wallfinder.observation.Timeline;
import wallfinder.report.RunRecord;
import wallfinder.sampling.Sampler;
import wallfinder.sandbox.Service;

/// A load that is a program of its own: started at the client's end, watched like a service, and
/// its figures taken from what it prints.
final class CommandStage {
    private static final String NAME = "load";
    private static final Duration SAMPLE_INTERVAL = Duration.ofMillis(100);
    private static final Duration LOOK_INTERVAL = Duration.ofMillis(50);
    private static final int OUTPUT_BYTES_MAX = 1 << 20;

    private final SandboxScene scene;
    private final LoadSpec.Command command;
    private final @Nullable Objective objective;
    private final RunContext context;
    private final List<Caveat> caveats = new ArrayList<>();

    CommandStage(
            SandboxScene scene,
            LoadSpec.Command command,
            @Nullable Objective objective,
            RunContext context) {
        this.scene = scene;
        this.command = command;
        this.objective = objective;
        this.context = context;
    }

    RunRecord.Trial trial(String name) {
        Observation observation = observe();
        SortedMap<String, String> factors = new TreeMap<>(scene.factors());
        return new RunRecord.Trial(
                name,
                factors,
                observation,
                Diagnosis.of(observation),
                List.copyOf(caveats),
                objective == null ? null : Objectives.met(objective, observation.load()));
    }

    private Observation observe() {
        ServiceSpec spec =
                new ServiceSpec(
                        NAME,
                        command.command(),
                        command.jvm(),
                        Map.of(),
                        null,
                        Limits.NONE,
                        new Readiness.Log(""),
                        Map.of());
        long start = System.nanoTime();
        Service load = scene.launch(spec);
        List<Reader> readers = scene.readers(load);
        try (Sampler sampler = Sampler.start(readers, SAMPLE_INTERVAL)) {
            awaitEnd(load);
            double seconds = (System.nanoTime() - start) / 1e9;
            Timeline timeline = sampler.stop();
            return new Observation(outcome(load, timeline, seconds), timeline, scene.facts());
        } finally {
            readers.forEach(Reader::close);
            load.stop();
        }
    }

    private void awaitEnd(Service load) {
        long end = System.nanoTime() + command.duration().toNanos();
        while (load.alive() && context.interruption().pause(LOOK_INTERVAL)) {
            context.progress().live("the load command runs");
            if (System.nanoTime() - end > 0) {
                caveats.add(
                        new Caveat(
                                "load-stopped",
                                "the load command ran longer than its duration of %d s and was ended"
                                        .formatted(command.duration().toSeconds())));
                return;
            }
        }
        load.exitStatus()
                .filter(status -> status != 0)
                .ifPresent(status ->
                        caveats.add(
                                new Caveat(
                                        "load-exit",
                                        "the load command ended with exit code %d; its log is %s"
                                                .formatted(status, load.log()))));
    }

    private LoadOutcome outcome(Service load, Timeline timeline, double watched) {
        LoadSpec.Measure measure = command.measure();
        String output = measure == null ? "" : output(load.log());
        if (measure == null) {
            caveats.add(
                    new Caveat(
                            "rate-unknown",
                            "the load command has no `measure`: its rate is not known"));
        }
        long requests = measure == null ? 0 : (long) figure(measure.requests(), output, "requests");
        double seconds =
                measure == null || measure.seconds() == null
                        ? watched
                        : figure(measure.seconds(), output, "seconds");
        SortedMap<String, Long> errors = new TreeMap<>();
        if (measure != null && measure.errors() != null) {
            long failed = (long) figure(measure.errors(), output, "errors");
            if (failed > 0) {
                errors.put("command", failed);
            }
        }
        double cpuSeconds = timeline.growth(Names.process(NAME, "cpu"), End.CLIENT);
        Histogram none = new Histogram(3);
        return new LoadOutcome(
                "command",
                0,
                true,
                false,
                seconds,
                cpuSeconds,
                requests,
                requests,
                0,
                0,
                0,
                errors,
                new TreeMap<>(),
                0,
                none,
                none,
                none,
                none,
                none,
                null,
                0,
                0,
                null,
                null,
                List.of());
    }

    /// The figure that the pattern's group finds last, so that running totals are read at their
    /// end.
    private double figure(String pattern, String output, String what) {
        Matcher matcher = Pattern.compile(pattern).matcher(output);
        String found = null;
        while (matcher.find()) {
            found = matcher.group(1);
        }
        try {
            if (found != null) {
                return Double.parseDouble(found.replace(",", ""));
            }
        } catch (NumberFormatException e) {
            // told below, as if nothing had been found
        }
        caveats.add(
                new Caveat(
                        "measure-not-found",
                        "the load command printed no figure that `measure: %s` finds"
                                .formatted(what)));
        return 0;
    }

    private static String output(Path log) {
        try (var in = Files.newInputStream(log)) {
            long size = Files.size(log);
            in.skipNBytes(Math.max(0, size - OUTPUT_BYTES_MAX));
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
