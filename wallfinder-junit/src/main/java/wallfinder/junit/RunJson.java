package wallfinder.junit;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Reads `run.json`, whose schema is `docs/run.schema.json`. Fields that it does not know may be
/// added to the file at any time.
final class RunJson {
    private static final String SCHEMA = "wallfinder/1";
    private static final double NANOS_PER_MICRO = 1e3;

    private final JsonNode root;
    private final Run run;

    private RunJson(JsonNode root, Run run) {
        this.root = root;
        this.run = run;
    }

    /// @param folder the run's folder
    /// @throws WallfinderException if the file is missing, or is none of this schema
    static RunJson read(Path folder) {
        Path file = folder.resolve("run.json");
        JsonNode root;
        try {
            root = JsonMapper.shared().readTree(file.toFile());
        } catch (JacksonException unreadable) {
            throw new WallfinderException(
                    "the result of the measurement cannot be read",
                    file + ": " + unreadable.getOriginalMessage(),
                    "check that the disk has space, and run the test again");
        }
        String schema = root.path("schema").asString("");
        if (!schema.equals(SCHEMA)) {
            throw new WallfinderException(
                    "the result of the measurement cannot be read",
                    "%s has the schema '%s', and this extension reads %s"
                            .formatted(file, schema, SCHEMA),
                    "use the same version of wallfinder-junit and of the program");
        }
        List<Trial> trials = root.path("trials").valueStream().map(RunJson::trial).toList();
        if (trials.isEmpty()) {
            throw new WallfinderException(
                    "the run measured nothing",
                    root.path("ended").asString("it has no trial"),
                    "read the files in " + folder);
        }
        return new RunJson(
                root,
                new Run(
                        root.path("command").asString(""),
                        folder,
                        trials,
                        root.path("ended").asString("")));
    }

    LoadResult load() {
        return new LoadResult(run, last());
    }

    FindResult find() {
        List<Rung> ladder = root.path("ladder").valueStream().map(this::rung).toList();
        return new FindResult(run, ladder.isEmpty() ? last() : ladder.get(0).trial(), ladder);
    }

    CapacityResult capacity() {
        JsonNode capacity = root.path("capacity");
        JsonNode wallTrial = capacity.path("wallTrial");
        return new CapacityResult(
                run,
                wallTrial.isNumber() ? run.trials().get(wallTrial.intValue()) : last(),
                number(capacity.path("ratePerSecond")),
                number(capacity.path("low")),
                number(capacity.path("high")),
                capacity.path("wall").isString() ? wall(capacity.path("wall")) : null,
                capacity.path("confirmed").asBoolean(false),
                capacity.path("pairs").valueStream().map(this::pair).toList());
    }

    private CapacityResult.Pair pair(JsonNode pair) {
        return new CapacityResult.Pair(side(pair.path("below")), side(pair.path("above")));
    }

    private Trial side(JsonNode side) {
        return run.trials().get(side.path("trial").intValue());
    }

    private Trial last() {
        return run.trials().get(run.trials().size() - 1);
    }

    private Rung rung(JsonNode rung) {
        JsonNode interval = rung.path("gainInterval");
        return new Rung(
                run.trials().get(rung.path("trial").intValue()),
                number(rung.path("throughputPerSecond")),
                remedy(rung.path("remedy")),
                number(rung.path("gain")),
                number(interval.path(0)),
                number(interval.path(1)));
    }

    private static Rung.@Nullable Remedy remedy(JsonNode remedy) {
        return remedy.isObject()
                ? new Rung.Remedy(
                        remedy.path("setting").asString(""),
                        remedy.path("from").asString(""),
                        remedy.path("to").asString(""))
                : null;
    }

    private static Trial trial(JsonNode trial) {
        JsonNode load = trial.path("load");
        return new Trial(
                trial.path("name").asString(""),
                load.path("connections").asLong(0),
                load.path("good").asLong(0),
                number(load.path("goodPerSecond")),
                counts(load.path("errors")),
                times(load.path("responseMicros")),
                diagnosis(trial.path("diagnosis")),
                doubts(trial.path("caveats")));
    }

    private static Map<String, Long> counts(JsonNode errors) {
        Map<String, Long> counts = new LinkedHashMap<>();
        errors.propertyStream()
                .filter(kind -> kind.getValue().asLong(0) > 0)
                .forEach(kind -> counts.put(kind.getKey(), kind.getValue().asLong(0)));
        return counts;
    }

    private static @Nullable Times times(JsonNode micros) {
        return micros.path("mean").isNumber()
                ? new Times(
                        time(micros.path("mean")),
                        time(micros.path("p50")),
                        time(micros.path("p90")),
                        time(micros.path("p99")),
                        time(micros.path("p999")),
                        time(micros.path("max")))
                : null;
    }

    private static Duration time(JsonNode micros) {
        return Duration.ofNanos(Math.round(micros.asDouble(0) * NANOS_PER_MICRO));
    }

    private static Map<String, String> doubts(JsonNode caveats) {
        Map<String, String> doubts = new LinkedHashMap<>();
        caveats.valueStream()
                .forEach(doubt ->
                        doubts.merge(
                                doubt.path("id").asString(""),
                                doubt.path("advice").asString(""),
                                (one, other) -> one + "; " + other));
        return doubts;
    }

    private static Diagnosis diagnosis(JsonNode diagnosis) {
        Verdict verdict = verdict(diagnosis.path("verdict"));
        JsonNode wall = diagnosis.path("wall");
        return new Diagnosis(
                verdict,
                wall.isString() ? wall(wall) : null,
                constant(End.class, diagnosis.path("end")),
                constant(Harm.class, diagnosis.path("harms")),
                walls(diagnosis.path("also")),
                ruledOut(diagnosis.path("ruledOut")),
                text(verdict, diagnosis));
    }

    private static Verdict verdict(JsonNode word) {
        Verdict verdict = constant(Verdict.class, word);
        if (verdict == null) {
            throw new WallfinderException(
                    "the result of the measurement cannot be read",
                    "it has the verdict " + word,
                    "use the same version of wallfinder-junit and of the program");
        }
        return verdict;
    }

    /// Without those that are near, or that nobody could judge.
    private static Set<Wall> ruledOut(JsonNode judgements) {
        Set<Wall> walls = EnumSet.noneOf(Wall.class);
        judgements
                .valueStream()
                .filter(judgement -> judgement.path("state").asString("clear").equals("clear"))
                .forEach(judgement -> walls.add(wall(judgement.path("wall"))));
        return walls;
    }

    private static Set<Wall> walls(JsonNode judgements) {
        Set<Wall> walls = EnumSet.noneOf(Wall.class);
        judgements.valueStream().forEach(judgement -> walls.add(wall(judgement.path("wall"))));
        return walls;
    }

    private static Wall wall(JsonNode word) {
        Wall wall = constant(Wall.class, word);
        return wall == null ? Wall.OTHER : wall;
    }

    private static <E extends Enum<E>> @Nullable E constant(Class<E> type, JsonNode word) {
        return Words.constant(type, word.asString(""));
    }

    private static String text(Verdict verdict, JsonNode diagnosis) {
        String seen = diagnosis.path("seen").asString("");
        String wall = diagnosis.path("wall").asString("");
        String end = diagnosis.path("end").asString("");
        String harms = diagnosis.path("harms").asString("");
        String evidence = diagnosis.path("evidence").path(0).path("says").asString("");
        return switch (verdict) {
            case NONE -> "none reached";
            case UNNAMED -> "unnamed" + (seen.isEmpty() ? "" : ": " + seen);
            case INVALID -> "invalid, because the generator was the limit: " + evidence;
            case NAMED ->
                    "%s, on the %s%s: %s"
                            .formatted(
                                    wall, end, harms.isEmpty() ? "" : ", harms " + harms, evidence);
        };
    }

    private static double number(JsonNode number) {
        return number.isNumber() ? number.doubleValue() : Double.NaN;
    }
}
