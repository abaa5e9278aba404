package wallfinder.lab.study;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.Tree;
import wallfinder.lab.RecordedObservation;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SampleLoad;

class RecordedLoadTest {

    private static JsonNode written(LoadOutcome load) {
        return JsonMapper.shared()
                .readTree(JsonMapper.shared().writeValueAsString(RecordJson.toJson(load)));
    }

    @Test
    void every_recorded_load_is_written_as_it_was_read_except_empty_fields() throws IOException {
        List<Path> files;
        try (var all = Files.list(Tree.ROOT.resolve(RecordedObservation.FOLDER))) {
            files = all.toList();
        }
        assertThat(files).isNotEmpty();
        for (Path file : files) {
            try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
                JsonNode load = JsonMapper.shared().readTree(in).at("/observation/load");
                JsonNode again = written((LoadOutcome) RecordJson.read(load, LoadOutcome.class));
                again.forEachEntry((name, value) ->
                        assertThat(value)
                                .as(file + ", " + name)
                                .isEqualTo(load.has(name) ? load.get(name) : value));
                assertThat(RecordJson.read(again, LoadOutcome.class))
                        .isEqualTo(RecordJson.read(load, LoadOutcome.class));
            }
        }
    }

    static List<LoadOutcome> kinds() {
        Histogram times = new Histogram(3);
        times.recordValue(1_000_000);
        LoadOutcome.Requests requests = SampleLoad.of(64, 2, 1, 3, times);
        List<LoadOutcome> kinds = new ArrayList<>();
        kinds.add(requests);
        kinds.add(
                new LoadOutcome.Held(
                        requests.engine(),
                        1,
                        requests.loop(),
                        2,
                        requests.exchanges(),
                        requests.failures(),
                        requests.times(),
                        new LoadOutcome.Hold(
                                "push",
                                0,
                                0,
                                new TreeMap<>(),
                                0,
                                1,
                                2,
                                3,
                                4,
                                times,
                                32,
                                5,
                                List.of(),
                                List.of())));
        kinds.add(new LoadOutcome.Command(2, 1, 3, new TreeMap<>(Map.of("command", 4L)), 5));
        kinds.add(new LoadOutcome.Command(2, 1, 3, new TreeMap<>(), 5));
        kinds.add(new LoadOutcome.Unseen(3));
        return kinds;
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void each_kind_of_load_is_read_as_it_was_written(LoadOutcome load) {
        assertThat(RecordJson.read(written(load), LoadOutcome.class)).isEqualTo(load);
    }
}
