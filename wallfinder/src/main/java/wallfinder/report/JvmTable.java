package wallfinder.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.record.JvmRow;

/// The JVMs of a host, for `jvm list`.
public final class JvmTable {
    /// The one that is used unless a heap is too large for compressed references or has none.
    private static final String DEFAULT = "classes.jsa";

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private JvmTable() {}

    /// @param ansi whether the output may be bold
    public static String text(List<JvmRow> jvms, boolean ansi) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("version", "vendor", "archive of classes", "folder", "found by"));
        for (JvmRow jvm : jvms) {
            rows.add(
                    List.of(
                            jvm.version(),
                            jvm.vendor(),
                            archive(jvm),
                            jvm.home(),
                            String.join(", ", jvm.from())));
        }
        PlainText lines = new PlainText(ansi).table(rows, false, false, false, false, false);
        lines.blank()
                .add(
                        "",
                        "`jvm:` of an experiment takes the first number of a version, such as 17, which is the first"
                                + " such JVM here, or a folder.");
        if (jvms.stream().anyMatch(jvm -> !jvm.archives().contains(DEFAULT))) {
            lines.add(
                    "",
                    "Without its archive of classes (CDS) a JVM starts later and takes more memory, so it does"
                            + " not compare with others: FOLDER/bin/java -Xshare:dump makes one.");
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
