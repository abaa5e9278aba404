package wallfinder.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.record.JvmRow;

/// The output of `jvm list`: the JVMs of this host.
public final class JvmTable {
    /// The archive that a JVM uses by default. A heap without compressed references needs another.
    private static final String DEFAULT = "classes.jsa";

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private JvmTable() {}

    /// @param ansi whether the output may be bold
    public static String text(List<JvmRow> jvms, boolean ansi) {
        Table<JvmRow> table =
                new Table<>(
                        List.of(
                                Table.words("version", JvmRow::version),
                                Table.words("vendor", JvmRow::vendor),
                                Table.words("archive of classes", JvmTable::archive),
                                Table.words("folder", JvmRow::home),
                                Table.words("found by", jvm -> String.join(", ", jvm.from()))),
                        jvms);
        PlainText lines = new PlainText(ansi).table(table).blank();
        lines.add(
                "",
                "`jvm:` of an experiment takes a folder, or the first number of a version, such as 17,"
                        + " which stands for the first such JVM of this list.");
        if (jvms.stream().anyMatch(jvm -> !jvm.archives().contains(DEFAULT))) {
            lines.add(
                    "",
                    "A JVM without its archive of classes (CDS) starts later and takes more memory, so it"
                            + " cannot be compared with others. FOLDER/bin/java -Xshare:dump makes the"
                            + " archive.");
        }
        return lines.toString();
    }

    private static String archive(JvmRow jvm) {
        if (jvm.archives().isEmpty()) {
            return "none";
        }
        return jvm.archives().contains(DEFAULT) ? "yes" : String.join(", ", jvm.archives());
    }

    /// A list of objects with the fields of [JvmRow].
    public static String json(List<JvmRow> jvms) {
        List<Map<String, @Nullable Object>> list = new ArrayList<>();
        for (JvmRow jvm : jvms) {
            Map<String, @Nullable Object> json = new LinkedHashMap<>();
            json.put("major", jvm.major());
            json.put("version", jvm.version());
            json.put("vendor", jvm.vendor());
            json.put("home", jvm.home());
            json.put("from", jvm.from());
            json.put("archives", jvm.archives());
            list.add(json);
        }
        return MAPPER.writeValueAsString(list) + "\n";
    }
}
