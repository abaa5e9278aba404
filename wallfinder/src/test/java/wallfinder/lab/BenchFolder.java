package wallfinder.lab;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// The files of a bench: a folder that exists while it runs, and a table that is kept.
final class BenchFolder {
    private BenchFolder() {}

    static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    /// Appends a row to a table with tabs between its columns.
    ///
    /// @param columns the first line of a new table
    static void appendRow(Path table, String columns, List<String> cells) throws IOException {
        String head = Files.exists(table) ? "" : columns;
        Files.writeString(table, head + String.join("\t", cells) + "\n", CREATE, APPEND);
    }
}
