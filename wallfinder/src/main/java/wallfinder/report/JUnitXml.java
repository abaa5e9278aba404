package wallfinder.report;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.jspecify.annotations.Nullable;
import wallfinder.record.Harmless;
import wallfinder.record.NumberText;
import wallfinder.record.Outcome;
import wallfinder.record.RunRecord;
import wallfinder.record.WholeFile;
import wallfinder.report.Check.State;

/// The checks of a run as JUnit XML, which CI servers read.
public final class JUnitXml {
    /// What XML 1.0 cannot contain, not even escaped.
    private static final Pattern NOT_XML =
            Pattern.compile(
                    "[^\\t\\n\\r\\x{20}-\\x{D7FF}\\x{E000}-\\x{FFFD}\\x{10000}-\\x{10FFFF}]");

    private final XMLStreamWriter xml;
    private final RunRecord run;
    private final List<Check> checks;

    private JUnitXml(XMLStreamWriter xml, RunRecord run, Outcome outcome) {
        this.xml = xml;
        this.run = run;
        this.checks = Checks.of(run, outcome);
    }

    /// @param notes further lines about the run, such as a comparison with an earlier one
    public static void write(RunRecord run, Outcome outcome, List<String> notes, Path path)
            throws IOException {
        WholeFile.write(path, out -> write(run, outcome, notes, out));
    }

    static void write(RunRecord run, Outcome outcome, List<String> notes, OutputStream out)
            throws IOException {
        try {
            XMLStreamWriter xml =
                    XMLOutputFactory.newDefaultFactory()
                            .createXMLStreamWriter(out, StandardCharsets.UTF_8.name());
            new JUnitXml(xml, run, outcome).document(notes);
            xml.flush();
        } catch (XMLStreamException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private void document(List<String> notes) throws XMLStreamException {
        xml.writeStartDocument(StandardCharsets.UTF_8.name(), "1.0");
        begin("testsuites");
        attribute("name", "wallfinder");
        counts();
        begin("testsuite");
        attribute("name", run.kind() + " " + run.name());
        counts();
        attribute("skipped", count(State.SKIPPED));
        // Readers of this format expect no zone. The time is UTC.
        attribute("timestamp", run.startedAt().replace("Z", ""));
        properties();
        for (Check check : checks) {
            testcase(check);
        }
        text("system-out", systemOut(notes));
        end();
        end();
        xml.writeEndDocument();
    }

    private void counts() throws XMLStreamException {
        attribute("tests", Integer.toString(checks.size()));
        attribute("failures", count(State.MISSED));
        attribute("errors", count(State.INVALID));
        attribute("time", seconds(checks.stream().mapToDouble(Check::seconds).sum()));
    }

    private String count(State state) {
        return Long.toString(checks.stream().filter(check -> check.state() == state).count());
    }

    private void properties() throws XMLStreamException {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("command", run.command());
        Finding main = Finding.main(run);
        if (main != null) {
            properties.put("verdict", main.verdict());
            properties.put("wall", main.wall());
            properties.put("rate", Finding.plain(main.perSecond(), ""));
        }
        begin("properties");
        for (Map.Entry<String, String> property : properties.entrySet()) {
            begin("property");
            attribute("name", property.getKey());
            attribute("value", property.getValue());
            end();
        }
        end();
    }

    private void testcase(Check check) throws XMLStreamException {
        begin("testcase");
        attribute("name", check.name());
        attribute("classname", "wallfinder." + run.kind());
        attribute("time", seconds(check.seconds()));
        String element = element(check.state());
        String details = String.join("\n", check.lines());
        if (element != null) {
            begin(element);
            attribute("message", check.message());
            if (check.state() != State.SKIPPED) {
                attribute("type", check.state() == State.MISSED ? "objective" : "invalid");
                xml.writeCharacters(legal(Harmless.lines(check.message() + "\n" + details)));
            }
            end();
        }
        text("system-out", check.message() + "\n" + details);
        end();
    }

    private static @Nullable String element(State state) {
        return switch (state) {
            case PASSED -> null;
            case MISSED -> "failure";
            case INVALID -> "error";
            case SKIPPED -> "skipped";
        };
    }

    private String systemOut(List<String> notes) {
        StringBuilder text = new StringBuilder();
        notes.forEach(note -> text.append(note).append('\n'));
        if (run.ended() != null && !run.ended().isEmpty()) {
            text.append("Ended: ").append(run.ended()).append('\n');
        }
        return text.toString();
    }

    private static String seconds(double seconds) {
        return NumberText.format("%.3f", seconds);
    }

    private void begin(String element) throws XMLStreamException {
        xml.writeCharacters("\n");
        xml.writeStartElement(element);
    }

    private void end() throws XMLStreamException {
        xml.writeEndElement();
    }

    private void attribute(String name, String value) throws XMLStreamException {
        xml.writeAttribute(name, legal(Harmless.line(value)));
    }

    private void text(String element, String text) throws XMLStreamException {
        begin(element);
        xml.writeCharacters(legal(Harmless.lines(text)));
        end();
    }

    private static String legal(String text) {
        return NOT_XML.matcher(text).replaceAll("\ufffd");
    }
}
