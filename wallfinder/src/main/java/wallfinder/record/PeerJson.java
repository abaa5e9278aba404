package wallfinder.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.experiment.Limits;
import wallfinder.experiment.UsageException;
import wallfinder.observation.Caveat;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.JvmFacts;
import wallfinder.observation.Key;
import wallfinder.observation.Peer;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// Writes and reads `observation.json`: what `watch` saw of a service, to be joined with a load on
/// another host.
public final class PeerJson {
    public static final String FILE = "observation.json";

    /// Increases when readers of the older form would misread it.
    public static final String SCHEMA = "wallfinder-observation/1";

    /// The largest limits of the host, if a remedy may set some there.
    private static final String MOST = "most";

    /// A watch of hours takes a tenth of this; a larger file is something else.
    private static final long BYTES_MAX = 1L << 30;

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private PeerJson() {}

    /// Writes a file that appears whole or not at all.
    public static void write(Peer peer, Path path) throws IOException {
        byte[] json = MAPPER.writeValueAsBytes(tree(peer));
        WholeFile.write(path, out -> out.write(json));
    }

    /// The content of the file, for [#peer].
    public static Map<String, @Nullable Object> tree(Peer peer) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("schema", SCHEMA);
        json.put("subject", peer.subject());
        json.put("host", peer.host());
        json.put("bootId", Objects.requireNonNullElse(peer.bootId(), ""));
        json.put("startEpochNanos", peer.startEpochNanos());
        json.put("clockErrorNanos", peer.clockErrorNanos());
        json.put("cpus", peer.cpus());
        json.put("facts", facts(peer.facts()));
        putTimeline(peer.timeline(), json);
        return json;
    }

    /// Adds a timeline, for [#timeline].
    public static void putTimeline(Timeline timeline, Map<String, @Nullable Object> json) {
        json.put("nanos", timeline.nanos());
        json.put("series", timeline.series().stream().map(PeerJson::series).toList());
    }

    private static Map<String, @Nullable Object> facts(SandboxFacts facts) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>(LoadJson.sandbox(facts));
        json.put(
                "caveats",
                facts.caveats().stream()
                        .map(caveat -> Map.of("id", caveat.id(), "advice", caveat.advice()))
                        .toList());
        Limits most = facts.most();
        if (!most.equals(Limits.NONE)) {
            Map<String, @Nullable Object> limits = new LinkedHashMap<>();
            limits.put("nofile", most.nofile());
            limits.put("memoryBytes", most.memoryBytes());
            limits.put("cpus", most.cpus());
            json.put(MOST, limits);
        }
        return json;
    }

    /// Most kernel counters never move; one value is enough for them.
    private static Map<String, @Nullable Object> series(Series series) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", series.counter().name());
        json.put("kind", series.counter().kind() == Counter.Kind.GAUGE ? "gauge" : "cumulative");
        json.put("source", series.counter().source());
        double[] values = series.values();
        boolean same = Arrays.stream(values).allMatch(v -> Double.compare(v, values[0]) == 0);
        int kept = same ? Math.min(1, values.length) : values.length;
        List<@Nullable Object> numbers = new ArrayList<>(kept);
        for (int i = 0; i < kept; i++) {
            numbers.add(Rounded.exact(values[i]));
        }
        json.put("values", numbers);
        return json;
    }

    /// Reads a file that [#write] wrote.
    ///
    /// @throws UsageException if it is another file, or cut short
    public static Peer read(Path path) throws IOException {
        if (Files.size(path) > BYTES_MAX) {
            throw unusable(path, "it is larger than any observation");
        }
        try {
            JsonNode json = MAPPER.readTree(Files.readAllBytes(path));
            String schema = json.path("schema").asString("");
            if (!schema.equals(SCHEMA)) {
                throw unusable(
                        path,
                        schema.isEmpty()
                                ? "it does not say what it is"
                                : "it is of the form " + schema + ", and this reads " + SCHEMA);
            }
            return peer(json);
        } catch (JacksonException | IllegalArgumentException e) {
            throw unusable(path, "it is cut short or was changed");
        }
    }

    private static UsageException unusable(Path path, String why) {
        return new UsageException(
                path + " is not an observation of a watch",
                why,
                "give the " + FILE + " that `wallfinder watch --out DIR` wrote");
    }

    /// @throws JacksonException if a part is missing or of another type
    /// @throws IllegalArgumentException if a part has an impossible value
    public static Peer peer(JsonNode json) {
        List<Integer> cpus = new ArrayList<>();
        json.required("cpus").forEach(cpu -> cpus.add(cpu.asInt()));
        JsonNode error = json.required("clockErrorNanos");
        return new Peer(
                json.required("subject").asString(),
                json.required("host").asString(),
                known(json.required("bootId").asString()),
                json.required("startEpochNanos").asLong(),
                error.isNull() ? null : error.asLong(),
                List.copyOf(cpus),
                timeline(json),
                readFacts(json.required("facts")));
    }

    /// Reads what [#putTimeline] wrote.
    ///
    /// @throws JacksonException if a part is missing or of another type
    /// @throws IllegalArgumentException if a part has an impossible value
    public static Timeline timeline(JsonNode json) {
        long[] nanos = new long[json.required("nanos").size()];
        for (int i = 0; i < nanos.length; i++) {
            nanos[i] = json.required("nanos").required(i).asLong();
        }
        List<Series> series = new ArrayList<>();
        json.required("series").forEach(one -> series.add(series(one, nanos.length)));
        return new Timeline(nanos, List.copyOf(series));
    }

    private static Series series(JsonNode json, int length) {
        JsonNode numbers = json.required("values");
        if (numbers.size() != length && numbers.size() != 1) {
            throw new IllegalArgumentException("values that do not match the instants");
        }
        double[] values = new double[length];
        for (int i = 0; i < length; i++) {
            JsonNode value = numbers.required(numbers.size() == 1 ? 0 : i);
            values[i] = value.isNull() ? Double.NaN : value.asDouble();
        }
        return new Series(
                new Counter(
                        Key.parse(json.required("name").asString()),
                        End.SERVER,
                        json.required("source").asString()),
                values);
    }

    private static @Nullable String known(String text) {
        return text.isEmpty() ? null : text;
    }

    private static SandboxFacts readFacts(JsonNode json) {
        List<SandboxFacts.ServiceFacts> services = new ArrayList<>();
        json.required("services").forEach(service -> services.add(readService(service)));
        List<Caveat> caveats = new ArrayList<>();
        json.required("caveats")
                .forEach(caveat ->
                        caveats.add(
                                Caveat.read(
                                        caveat.required("id").asString(),
                                        caveat.required("advice").asString())));
        return new SandboxFacts(
                json.required("isolation").asString(),
                texts(json.required("serverSysctls")),
                new TreeMap<>(),
                json.required("serverCpus").asInt(),
                0,
                false,
                json.has(MOST) ? readMost(json.required(MOST)) : Limits.NONE,
                true,
                List.copyOf(services),
                List.copyOf(caveats));
    }

    private static Limits readMost(JsonNode json) {
        JsonNode nofile = json.required("nofile");
        JsonNode memory = json.required("memoryBytes");
        JsonNode cpus = json.required("cpus");
        return new Limits(
                nofile.isNull() ? null : nofile.asLong(),
                null,
                memory.isNull() ? null : memory.asLong(),
                cpus.isNull() ? null : cpus.asDouble(),
                null,
                null,
                null);
    }

    private static SandboxFacts.ServiceFacts readService(JsonNode json) {
        List<Integer> listens = new ArrayList<>();
        json.required("listens").forEach(port -> listens.add(port.asInt()));
        JsonNode jvm = json.required("jvm");
        return new SandboxFacts.ServiceFacts(
                json.required("name").asString(),
                json.required("pid").asLong(),
                List.copyOf(listens),
                strings(json.path("unixSockets")), // older files lack it
                texts(json.required("settings")),
                jvm.isNull() ? null : jvm.asString(),
                readRuntime(json.path("runtime")));
    }

    /// Older files lack it.
    private static @Nullable JvmFacts readRuntime(JsonNode json) {
        if (!json.isObject()) {
            return null;
        }
        JsonNode mapped = json.required("mapped");
        return new JvmFacts(
                json.required("version").asString(),
                json.required("vendor").asString(),
                json.required("home").asString(),
                strings(json.required("archives")),
                strings(json.required("options")),
                mapped.isNull() ? null : strings(mapped));
    }

    private static List<String> strings(JsonNode json) {
        List<String> strings = new ArrayList<>();
        json.forEach(one -> strings.add(one.asString()));
        return List.copyOf(strings);
    }

    private static SortedMap<String, String> texts(JsonNode json) {
        SortedMap<String, String> texts = new TreeMap<>();
        json.forEachEntry((name, value) -> texts.put(name, value.asString()));
        return texts;
    }
}
