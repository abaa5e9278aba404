package wallfinder.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.SchemaFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import wallfinder.record.Condition;
import wallfinder.record.Outcome;
import wallfinder.record.RunRecord;
import wallfinder.record.SampleCapacity;
import wallfinder.record.SampleRun;

class JUnitXmlTest {
    private static final Condition FAST = new Condition("p99 < 50.0 ms", "62.1 ms", false, false);
    private static final Condition NO_QUEUE =
            new Condition("wall != accept-queue", "cpu", true, true);

    @TempDir Path folder;

    /// The document, after the schema in the test's resources has accepted it.
    static Document parsed(Path file) throws Exception {
        SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI)
                .newSchema(
                        Objects.requireNonNull(
                                JUnitXmlTest.class.getResource("junit.xsd"), "the schema"))
                .newValidator()
                .validate(new StreamSource(file.toFile()));
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
    }

    private Document written(RunRecord run, Outcome outcome) throws Exception {
        Path file = folder.resolve("junit.xml");
        JUnitXml.write(run, outcome, List.of(), file);
        return parsed(file);
    }

    /// `name: state` of each test case.
    private List<String> cases(RunRecord run, Outcome outcome) throws Exception {
        var cases = written(run, outcome).getElementsByTagName("testcase");
        List<String> all = new ArrayList<>();
        for (int i = 0; i < cases.getLength(); i++) {
            Element one = (Element) cases.item(i);
            String state =
                    Stream.of("failure", "error", "skipped")
                            .filter(name -> one.getElementsByTagName(name).getLength() > 0)
                            .findFirst()
                            .orElse("passed");
            all.add(one.getAttribute("name") + ": " + state);
        }
        return all;
    }

    private static RunRecord load(RunRecord.Trial trial) {
        return new RunRecord(
                "wallfinder load http://h/",
                "h",
                "2026-11-20T10:15:30Z",
                SampleRun.emptyLadder().host(),
                List.of(trial),
                List.of(),
                null,
                null);
    }

    @Test
    void each_condition_is_a_case_and_a_missed_one_fails_with_its_figure() throws Exception {
        RunRecord run = load(SampleRun.queueFull("load").checked(List.of(FAST, NO_QUEUE)));

        assertThat(cases(run, Outcome.MISSED))
                .containsExactly(
                        "load: passed", "p99 < 50.0 ms: failure", "wall != accept-queue: passed");
        Element failure =
                (Element) written(run, Outcome.MISSED).getElementsByTagName("failure").item(0);
        assertThat(failure.getAttribute("message")).contains("62.1 ms", "accept-queue");
        Element suite =
                (Element) written(run, Outcome.MISSED).getElementsByTagName("testsuite").item(0);
        assertThat(suite.getAttribute("failures")).isEqualTo("1");
        assertThat(suite.getAttribute("timestamp")).isEqualTo("2026-11-20T10:15:30");
    }

    @Test
    void an_invalid_result_is_an_error_and_its_objective_decides_nothing() throws Exception {
        RunRecord run = load(SampleRun.generatorBound("load").checked(List.of(FAST)));

        assertThat(cases(run, Outcome.INVALID))
                .containsExactly("load: error", "p99 < 50.0 ms: skipped");
    }

    @Test
    void the_rungs_of_a_ladder_are_cases() throws Exception {
        assertThat(cases(SampleRun.fullLadder(), Outcome.DONE))
                .containsExactly("rung 1: accept-queue: passed", "rung 2: cpu: passed");
    }

    @Test
    void each_candidate_of_fit_is_a_case() throws Exception {
        assertThat(cases(FitTableTest.run(), Outcome.DONE))
                .containsExactly("defaults: passed", "lean: passed", "broken: skipped");
    }

    @Test
    void a_capacity_that_is_too_small_fails() throws Exception {
        assertThat(cases(SampleCapacity.run(), Outcome.MISSED))
                .anyMatch(one -> one.endsWith("failure"));
        assertThat(cases(SampleCapacity.run(), Outcome.DONE))
                .allMatch(one -> one.endsWith("passed"));
    }

    private List<String> bounded(double low, double high, String bound, Outcome outcome)
            throws Exception {
        return cases(SampleCapacity.asking(400, low, high, bound), outcome);
    }

    @Test
    void a_bound_of_the_capacity_is_a_case_that_agrees_with_the_exit_code() throws Exception {
        assertThat(bounded(390, 410, "capacity > 405", Outcome.DONE))
                .contains("capacity > 405.0/s: passed");
        assertThat(bounded(390, 410, "capacity > 420", Outcome.MISSED))
                .contains("capacity > 420.0/s: failure");
        assertThat(bounded(0, Double.POSITIVE_INFINITY, "capacity > 300", Outcome.INVALID))
                .contains("capacity > 300.0/s: error")
                .noneMatch(one -> one.startsWith("result"));
    }

    @Test
    void what_xml_cannot_contain_is_replaced() throws Exception {
        RunRecord run = SampleRun.named("a\u0000\uffff\ud800z ]]> <b>&");
        Element suite =
                (Element) written(run, Outcome.DONE).getElementsByTagName("testsuite").item(0);
        assertThat(suite.getAttribute("name")).endsWith("a \ufffd\ufffdz ]]> <b>&");
    }

    static Stream<RunRecord> runs() {
        return Stream.of(
                SampleRun.fullLadder(),
                SampleRun.emptyLadder(),
                SampleRun.interrupted(),
                SampleRun.nothingMeasured(),
                SampleRun.zeroRequests(),
                SampleRun.openLoop(),
                SampleCapacity.run(),
                SampleCapacity.ladder(),
                FitTableTest.run());
    }

    /// A CI server must not show green for a command that failed, or red for one that did not.
    @ParameterizedTest
    @MethodSource("runs")
    void failures_and_errors_agree_with_the_exit_code(RunRecord run) throws Exception {
        for (Outcome outcome : Outcome.values()) {
            List<String> cases = cases(run, outcome);
            boolean fails = cases.stream().anyMatch(one -> one.endsWith(": failure"));
            boolean errs = cases.stream().anyMatch(one -> one.endsWith(": error"));
            assertThat(fails).as(outcome + " " + cases).isEqualTo(outcome == Outcome.MISSED);
            assertThat(errs)
                    .as(outcome + " " + cases)
                    .isEqualTo(outcome != Outcome.MISSED && outcome != Outcome.DONE);
        }
    }
}
