package wallfinder.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.diagnosis.Verdict;
import wallfinder.diagnosis.Walls;
import wallfinder.experiment.WallId;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.RunRecord.Rung;

final class RunJsonTest {
    private static final Path SCHEMA =
            Path.of(System.getProperty("project.root", ".."), "docs", "run.schema.json");

    @TempDir Path folder;

    @Test
    void the_ladder_has_the_wall_the_remedy_and_the_verified_gain() throws IOException {
        JsonNode rung = json(SampleRun.fullLadder()).at("/ladder/0");
        assertThat(rung.at("/wall").asString()).isEqualTo("accept-queue");
        assertThat(rung.at("/end").asString()).isEqualTo("server");
        assertThat(rung.at("/trial").asInt()).isEqualTo(2);
        assertThat(rung.at("/throughputPerSecond").asDouble()).isEqualTo(256.0);
        assertThat(rung.at("/remedy/setting").asString()).isEqualTo("backlog");
        assertThat(rung.at("/remedy/from").asString()).isEqualTo("128");
        assertThat(rung.at("/remedy/to").asString()).isEqualTo("4096");
        assertThat(rung.at("/remedy/with/0/setting").asString()).isEqualTo("net.core.somaxconn");
        assertThat(rung.at("/gain").asDouble()).isEqualTo(4.1);
        assertThat(rung.at("/gainInterval/0").asDouble()).isEqualTo(2.5);
        assertThat(rung.at("/gainInterval/1").asDouble()).isEqualTo(4.8);
        assertThat(rung.at("/pairs").asInt()).isEqualTo(5);
        assertThat(rung.at("/verified").asBoolean()).isTrue();
        assertThat(rung.at("/p99Gain").asDouble()).isEqualTo(12.5);
        assertThat(rung.at("/errorsAfter").asInt()).isZero();
    }

    @Test
    void a_setting_without_effect_is_recorded_as_such() throws IOException {
        JsonNode tried = json(SampleRun.fullLadder()).at("/ladder/0/tried/0");
        assertThat(tried.at("/setting").asString()).isEqualTo("backlog");
        assertThat(tried.at("/effect").asString()).isEqualTo("none");
        assertThat(tried.at("/told").asString()).isEqualTo("no effect, 0.99-1.02");
        assertThat(tried.at("/verified").asBoolean()).isTrue();
        JsonNode without = json(SampleRun.fullLadder()).at("/ladder/0/without/0");
        assertThat(without.at("/effect").asString()).isEqualTo("less");
        assertThat(without.at("/told").asString()).isEqualTo("worse: 0.87 times, 0.85-0.88");
    }

    @Test
    void a_remedy_without_figures_is_recorded_with_the_reason() throws IOException {
        JsonNode remedy = json(SampleUnmeasured.run()).at("/ladder/0/unmeasured/0");
        assertThat(remedy.at("/setting").asString()).isEqualTo("net.ipv4.tcp_fin_timeout");
        assertThat(remedy.at("/why").asString()).startsWith("the service did not start with it");
    }

    @Test
    void a_rung_that_nothing_moved_gains_nothing_and_is_not_verified() throws IOException {
        JsonNode last = json(SampleRun.fullLadder()).at("/ladder/1");
        assertThat(last.at("/wall").asString()).isEqualTo("cpu");
        assertThat(last.at("/remedy").isNull()).isTrue();
        assertThat(last.at("/gain").asDouble()).isEqualTo(1);
        assertThat(last.at("/gainInterval/0").asDouble()).isEqualTo(1);
        assertThat(last.at("/verified").asBoolean()).isFalse();
        assertThat(last.at("/advice/0/verified").asBoolean()).isFalse();
    }

    @Test
    void a_trial_has_its_load_and_its_diagnosis_with_evidence() throws IOException {
        JsonNode trial = json(SampleRun.fullLadder()).at("/trials/2");
        JsonNode load = trial.at("/load");
        assertThat(trial.at("/name").asString()).isEqualTo("climb-3-connections-256");
        assertThat(load.at("/requests").asLong()).isEqualTo(1_280);
        assertThat(load.at("/arrival").asString()).isEqualTo("lockstep");
        assertThat(load.at("/responseMicros/p50").asDouble()).isBetween(16_990.0, 17_020.0);
        assertThat(load.at("/responseMicros/max").asDouble()).isBetween(1_039e3, 1_041e3);
        assertThat(load.has("batchMicros")).isTrue();
        assertThat(trial.at("/diagnosis/verdict").asString()).isEqualTo("named");
        assertThat(trial.at("/diagnosis/wall").asString()).isEqualTo("accept-queue");
        assertThat(trial.at("/diagnosis/harms").asString()).isEqualTo("throughput");
        JsonNode evidence = trial.at("/diagnosis/evidence/0");
        assertThat(evidence.at("/counter").asString()).isEqualTo("TcpExt.ListenOverflows");
        assertThat(evidence.at("/before").asDouble()).isZero();
        assertThat(evidence.at("/after").asDouble()).isEqualTo(280);
        assertThat(evidence.at("/limit").isNull()).isTrue();
        assertThat(trial.at("/diagnosis/ruledOut").size()).isEqualTo(Walls.ALL.size() - 1);
        assertThat(trial.at("/diagnosis/ruledOut").valueStream())
                .extracting(wall -> wall.at("/state").asString())
                .isSubsetOf("clear", "near", "unknown")
                .contains("clear", "unknown");
        assertThat(trial.at("/caveats/0/id").asString()).isEqualTo("host-busy");
    }

    @Test
    void an_open_loop_has_its_rate_the_requests_that_waited_and_the_late_ones() throws IOException {
        JsonNode load = json(SampleRun.openLoop()).at("/trials/0/load");
        assertThat(load.at("/arrival").asString()).isEqualTo("rate");
        assertThat(load.at("/redirects").asInt()).isEqualTo(7);
        assertThat(load.at("/repeated").asInt()).isEqualTo(3);
        assertThat(load.at("/openLoop/asked").asString()).isEqualTo("4,000/s asked");
        assertThat(load.at("/openLoop/waited").asInt()).isEqualTo(30);
        assertThat(load.at("/openLoop/lateMicros/p9999").asDouble()).isBetween(99.0, 101.0);
    }

    @Test
    void a_capacity_has_its_wall_and_its_pairs_and_no_infinity() throws IOException {
        JsonNode capacity = json(SampleCapacity.run()).at("/capacity");
        assertThat(capacity.at("/ratePerSecond").asDouble()).isEqualTo(401.5);
        assertThat(capacity.at("/high").isNull()).isTrue();
        assertThat(capacity.at("/wall").asString()).isEqualTo("accept-queue");
        assertThat(capacity.at("/wallTrial").asInt()).isEqualTo(4);
        assertThat(capacity.at("/confirmed").asBoolean()).isTrue();
        assertThat(capacity.at("/pairs/1/above/trial").asInt()).isEqualTo(2);
        assertThat(capacity.at("/pairs/1/above/held").asBoolean()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fullLadder",
                "emptyLadder",
                "interrupted",
                "unmeasured",
                "nothingMeasured",
                "openLoop",
                "capacity",
                "zeroRequests",
                "hostileNames"
            })
    void what_is_written_fits_the_published_schema(String sample) throws IOException {
        assertThat(errors(text(sample(sample)))).isEmpty();
    }

    @Test
    void missing_figures_are_null_and_never_nan() throws IOException {
        String text = text(SampleRun.zeroRequests());
        assertThat(text).doesNotContain("NaN").doesNotContain("Infinity");
        JsonNode load = JsonMapper.shared().readTree(text).at("/trials/0/load");
        assertThat(load.at("/throughputPerSecond").asDouble()).isZero();
        assertThat(load.at("/responseMicros/p99").isNull()).isTrue();
        assertThat(load.at("/responseMicros/count").asInt()).isZero();
    }

    @Test
    void an_unknown_gain_is_null_and_not_verified() throws IOException {
        RatioInterval unknown = new RatioInterval(Double.NaN, 0, Double.POSITIVE_INFINITY, 5);
        Applied full = SampleRun.first(0).remedy();
        Applied applied =
                new Applied(full.remedy(), unknown, unknown, full.before(), full.after(), true);
        Rung rung = new Rung(0, applied, List.of(), List.of(applied), List.of());
        RunRecord run = SampleRun.run(List.of(SampleRun.queueFull("a")), List.of(rung), "");
        assertThat(errors(text(run))).isEmpty();
        JsonNode json = json(run).at("/ladder/0");
        assertThat(json.at("/gain").isNull()).isTrue();
        assertThat(json.at("/gainInterval").isNull()).isTrue();
        assertThat(json.at("/verified").asBoolean()).isFalse();
        assertThat(json.at("/tried/0/effect").asString()).isEqualTo("unknown");
    }

    @Test
    void a_wide_interval_of_the_rate_is_not_called_no_effect() {
        Applied full = SampleRun.first(0).remedy();
        RunRecord.Side failing = new RunRecord.Side(600, 0, 500, 9_000, List.of());
        RunRecord.Side mended = new RunRecord.Side(1_500, 0, 0, 9_000, List.of());
        RatioInterval wide = new RatioInterval(2.5, 0.81, 12.47, 3);
        assertThat(new Applied(full.remedy(), wide, wide, failing, mended, true).text())
                .isEqualTo("errors 500 -> 0; an unclear effect on the rate, 0.81-12.47");
        RatioInterval narrow = new RatioInterval(1.01, 0.97, 1.04, 3);
        assertThat(new Applied(full.remedy(), narrow, wide, failing, mended, true).text())
                .isEqualTo("errors 500 -> 0; no effect on the rate, 0.97-1.04");
    }

    @Test
    void what_a_remedy_did_is_the_p99_if_that_alone_changed() {
        Applied full = SampleRun.first(0).remedy();
        RunRecord.Side slow = new RunRecord.Side(600, 80e6, 0, 9_000, List.of());
        RunRecord.Side quick = new RunRecord.Side(600, 8e6, 0, 9_000, List.of());
        RatioInterval same = new RatioInterval(1.01, 0.97, 1.04, 3);
        RatioInterval shorter = new RatioInterval(0.1, 0.08, 0.125, 3);
        assertThat(new Applied(full.remedy(), same, shorter, slow, quick, true).text())
                .isEqualTo("p99 10.00 times shorter, 8.00-12.50; no effect on the rate, 0.97-1.04");
        RatioInterval less = new RatioInterval(0.8, 0.76, 0.84, 3);
        assertThat(new Applied(full.remedy(), less, shorter, slow, quick, true).text())
                .isEqualTo(
                        "p99 10.00 times shorter, 8.00-12.50; only 0.80 times the rate, 0.76-0.84");
        assertThat(new Applied(full.remedy(), less, shorter, slow, quick, false).text())
                .isEqualTo("worse: 0.80 times, 0.76-0.84");
    }

    @Test
    void a_higher_rate_does_not_prove_a_remedy_that_was_not_kept() {
        Applied full = SampleRun.first(0).remedy();
        RatioInterval more = new RatioInterval(3.32, 1.83, 6.02, 2);
        assertThat(
                        new Applied(full.remedy(), more, more, full.before(), full.after(), false)
                                .text())
                .isEqualTo("3.32 times, 1.83-6.02, not proven");
    }

    @Test
    void the_gain_at_the_generators_limit_is_a_lower_bound() throws IOException {
        Applied full = SampleRun.first(0).remedy();
        Applied limited = full.limitedByGenerator();
        assertThat(limited.text()).isEqualTo("at least 4.10 times, 2.50-4.80");
        Rung rung = new Rung(0, limited, List.of(), List.of(), List.of());
        RunRecord run = SampleRun.run(List.of(SampleRun.queueFull("a")), List.of(rung), "");
        assertThat(errors(text(run))).isEmpty();
        assertThat(json(run).at("/ladder/0/lowerBound").asBoolean()).isTrue();
        RatioInterval same = new RatioInterval(1.03, 1.02, 1.04, 3);
        Applied none = new Applied(full.remedy(), same, same, full.before(), full.before(), false);
        assertThat(none.limitedByGenerator().text())
                .isEqualTo("not known: the generator was the limit with it, 1.02-1.04");
    }

    @Test
    void a_capacity_that_no_rate_holds_with_the_remedy_is_said_so() {
        Applied full = SampleRun.first(0).remedy();
        RatioInterval unknown = new RatioInterval(Double.NaN, Double.NaN, Double.NaN, 0);
        RunRecord.Side nothing = new RunRecord.Side(0, Double.NaN, 0, 0, List.of());
        RunRecord.Raised raised = new RunRecord.Raised(0, 0, 0, 0);
        assertThat(
                        new Applied(
                                        full.remedy(),
                                        unknown,
                                        unknown,
                                        full.before(),
                                        nothing,
                                        false,
                                        raised)
                                .text())
                .isEqualTo("no rate held the objective with it");
    }

    @Test
    void a_ladder_of_capacities_has_the_capacity_of_each_rung_and_its_proof() throws IOException {
        RunRecord run = SampleCapacity.ladder();
        assertThat(errors(text(run))).isEmpty();
        JsonNode json = json(run);
        assertThat(json.at("/ladder/0/capacity/ratePerSecond").asDouble()).isEqualTo(401.5);
        assertThat(json.at("/ladder/0/raised/heldWith").asInt()).isEqualTo(3);
        assertThat(json.at("/ladder/0/verified").asBoolean()).isTrue();
        assertThat(json.at("/ladder/0/without/0/raised/pairs").asInt()).isZero();
        assertThat(json.at("/capacity/ratePerSecond").asDouble()).isEqualTo(803);
        assertThat(json.at("/capacity/wallTrial").asInt()).isEqualTo(9);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"schema\" : \"wallfinder/1\"=\"schema\" : \"wallfinder/0\"",
                "\"verdict\" : \"named\"=\"verdict\" : \"guessed\"",
                "\"wall\" : \"accept-queue\"=\"wall\" : \"accept-line\"",
                "\"wall\" : \"accept-queue\"=\"wall\" : null",
                "\"gainInterval\"=\"gainRange\"",
                "\"timeout\" : 0=\"time-out\" : 0",
                "\"requests\" : 4=\"requests\" : -4",
                "\"throughputPerSecond\" : 4=\"throughputPerSecond\" : \"4\", \"x\" : 4"
            })
    void a_broken_document_does_not_fit_the_schema(String change) throws IOException {
        String[] sides = change.split("=", 2);
        String text = text(SampleRun.fullLadder());
        String broken = text.replaceFirst(sides[0], sides[1]);
        assertThat(broken).isNotEqualTo(text);
        assertThat(errors(broken)).isNotEmpty();
    }

    @Test
    void the_schema_knows_every_wall_verdict_and_kind_of_error() throws IOException {
        JsonNode schema = JsonMapper.shared().readTree(Files.readString(SCHEMA)).at("/$defs");
        assertThat(words(schema.at("/wall/enum"))).containsExactlyElementsOf(WallId.WORDS);
        assertThat(words(schema.at("/load/properties/errors/propertyNames/enum")))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(
                                        Arrays.stream(ErrorKind.values()).map(ErrorKind::word),
                                        Stream.of(LoadOutcome.Command.ERRORS))
                                .toList());
        assertThat(words(schema.at("/diagnosis/properties/verdict/enum")))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(Verdict.values()).map(Verdict::word).toList());
    }

    @Test
    void the_hosts_facts_may_hold_any_number() throws IOException {
        RunRecord run = SampleRun.emptyLadder();
        TreeMap<String, Object> host = new TreeMap<>(run.host());
        host.put("load", Double.NaN);
        host.put("share", 0.25);
        RunRecord odd =
                new RunRecord(
                        run.command(),
                        run.name(),
                        run.startedAt(),
                        host,
                        run.trials(),
                        run.ladder(),
                        run.ended(),
                        null);
        assertThat(json(odd).at("/host/load").isNull()).isTrue();
        assertThat(json(odd).at("/host/share").asDouble()).isEqualTo(0.25);
    }

    @Test
    void a_file_of_an_earlier_run_is_replaced_whole_and_nothing_else_is_left() throws IOException {
        Path file = folder.resolve("run.json");
        Files.writeString(file, "x".repeat(500_000));
        RunJson.write(SampleRun.emptyLadder(), file);
        assertThat(errors(Files.readString(file))).isEmpty();
        assertThat(folder.toFile().list()).containsExactly("run.json");
    }

    @Test
    void a_file_that_cannot_be_written_to_its_end_does_not_appear() {
        Path file = folder.resolve("run.json");
        assertThatThrownBy(() ->
                        WholeFile.write(
                                file,
                                out -> {
                                    out.write(new byte[100_000]);
                                    throw new IOException("the disk is full");
                                }))
                .isInstanceOf(IOException.class)
                .hasMessage(file + ": the disk is full");
        assertThat(folder.toFile().list()).isEmpty();
    }

    @Test
    void a_symbolic_link_stays_a_link() throws IOException {
        Path real = Files.writeString(folder.resolve("real.json"), "old");
        Path link = Files.createSymbolicLink(folder.resolve("link.json"), real);
        RunJson.write(SampleRun.emptyLadder(), link);
        assertThat(link).isSymbolicLink();
        assertThat(Files.readString(real)).contains("wallfinder/1");
    }

    @Test
    void a_device_is_written_into_and_not_replaced() {
        Path full = Path.of("/dev/full");
        assertThatThrownBy(() -> RunJson.write(SampleRun.emptyLadder(), full))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("No space left on device");
        assertThat(Files.isRegularFile(full)).isFalse();
        assertThat(Files.exists(full)).isTrue();
    }

    @Test
    void numbers_are_written_the_same_in_every_locale() throws IOException {
        Locale before = Locale.getDefault();
        try {
            String usual = text(SampleRun.fullLadder());
            assertThat(usual).contains("\"told\" : \"4.10 times, 2.50-4.80\"");
            RunRecord run = SampleRun.fullLadder();
            Locale.setDefault(Locale.GERMANY);
            assertThat(text(run)).isEqualTo(usual);
        } finally {
            Locale.setDefault(before);
        }
    }

    private static RunRecord sample(String name) {
        return switch (name) {
            case "fullLadder" -> SampleRun.fullLadder();
            case "emptyLadder" -> SampleRun.emptyLadder();
            case "interrupted" -> SampleRun.interrupted();
            case "unmeasured" -> SampleUnmeasured.run();
            case "nothingMeasured" -> SampleRun.nothingMeasured();
            case "capacity" -> SampleCapacity.run();
            case "openLoop" -> SampleRun.openLoop();
            case "zeroRequests" -> SampleRun.zeroRequests();
            case "hostileNames" -> SampleRun.hostileNames();
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static List<Error> errors(String json) throws IOException {
        Schema schema =
                SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                        .getSchema(Files.readString(SCHEMA), InputFormat.JSON);
        return schema.validate(json, InputFormat.JSON);
    }

    private static List<String> words(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asString).toList();
    }

    private static JsonNode json(RunRecord run) throws IOException {
        return JsonMapper.shared().readTree(text(run));
    }

    private static String text(RunRecord run) {
        return new String(RunJson.bytes(run), StandardCharsets.UTF_8);
    }
}
