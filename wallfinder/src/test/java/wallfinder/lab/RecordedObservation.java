package wallfinder.lab;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.Tree;
import wallfinder.lab.study.RecordJson;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;
import wallfinder.observation.Unloaded;

/// The observation of one case of the catalogue in a small file, without the counters that the
/// diagnosis never reads.
///
/// @param seed the seed that chose the numbers of the case
public record RecordedObservation(long seed, Observation observation) {
    public static final String FOLDER =
            "wallfinder/src/test/resources/wallfinder/diagnosis/observed";
    public static final String END = ".json.gz";

    /// How many instants a file keeps if they give the same verdict as all instants.
    static final int INSTANTS_MAX = 16;

    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final Set<String> ASKED = asked();

    /// The names of all recorded cases.
    public static List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(Tree.ROOT.resolve(FOLDER))) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .filter(file -> file.endsWith(END))
                    .map(file -> file.replace(END, ""))
                    .sorted()
                    .toList();
        }
    }

    public static RecordedObservation named(String name) throws IOException {
        return read(Tree.ROOT.resolve(FOLDER).resolve(name + END));
    }

    public static RecordedObservation read(Path file) throws IOException {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            JsonNode json = MAPPER.readTree(in.readAllBytes());
            Object observation = RecordJson.read(json.required("observation"), Observation.class);
            return new RecordedObservation(
                    json.required("seed").asLong(),
                    (Observation) Objects.requireNonNull(observation));
        }
    }

    String json() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("seed", seed);
        json.put("observation", RecordJson.toJson(observation));
        return MAPPER.writeValueAsString(json);
    }

    void write(Path file) throws IOException {
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(json().getBytes(UTF_8));
        }
    }

    /// A copy with fewer counters and at most that many instants, including the first and the last.
    RecordedObservation thinned(int instantsMax) {
        Unloaded unloaded = observation.unloaded();
        return new RecordedObservation(
                seed,
                new Observation(
                        observation.load(),
                        thinned(observation.timeline(), instantsMax),
                        observation.facts(),
                        unloaded == null
                                ? null
                                : new Unloaded(
                                        unloaded.answers(),
                                        thinned(unloaded.timeline(), instantsMax),
                                        unloaded.handshake())));
    }

    private static Timeline thinned(Timeline timeline, int instantsMax) {
        int length = timeline.nanos().length;
        int kept = Math.min(length, instantsMax);
        int[] instants =
                IntStream.range(0, kept)
                        .map(i -> kept < 2 ? 0 : (int) ((long) i * (length - 1) / (kept - 1)))
                        .toArray();
        List<Series> series = new ArrayList<>();
        for (Series one : timeline.series()) {
            String name = one.counter().name();
            if (name.contains("[") || ASKED.contains(name) || name.matches("[a-z]+\\..*")) {
                double[] values =
                        Arrays.stream(instants).mapToDouble(i -> one.values()[i]).toArray();
                series.add(new Series(one.counter(), values));
            }
        }
        long[] nanos = Arrays.stream(instants).mapToLong(i -> timeline.nanos()[i]).toArray();
        return new Timeline(nanos, List.copyOf(series));
    }

    /// The names of all constants of [KernelCounter].
    private static Set<String> asked() {
        Set<String> asked = new HashSet<>();
        for (Field field : KernelCounter.class.getFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getType() == KernelCounter.class) {
                try {
                    asked.add(((KernelCounter) Objects.requireNonNull(field.get(null))).text());
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
        return asked;
    }
}
