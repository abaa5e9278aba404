package wallfinder.sandbox;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// What a service writes, from one start on: a log file goes on through several starts.
///
/// @param start where this start's output begins, in bytes
record ServiceLog(Path path, long start) {
    private static final int TAIL_BYTES_MAX = 64 * 1024;
    private static final int CHUNK_BYTES = 256 * 1024;

    static ServiceLog beginning(Path path) throws IOException {
        return new ServiceLog(path, Files.exists(path) ? Files.size(path) : 0);
    }

    /// The last lines, at most `count` and 64 KiB.
    List<String> lastLines(int count) {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            long from = Math.max(start, file.length() - TAIL_BYTES_MAX);
            byte[] tail = new byte[(int) Math.max(0, file.length() - from)];
            file.seek(from);
            file.readFully(tail);
            List<String> lines = new String(tail, StandardCharsets.UTF_8).lines().toList();
            return lines.subList(Math.max(0, lines.size() - count), lines.size());
        } catch (IOException e) {
            return List.of("(the log " + path + " cannot be read: " + e + ")");
        }
    }

    /// Reads on from a place and looks for a text.
    ///
    /// @param from where to read from, in bytes
    /// @return minus one if the text was found, else where to read from next time
    long find(String text, long from) throws IOException {
        byte[] sought = text.getBytes(StandardCharsets.UTF_8);
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            long unread = Math.max(0, file.length() - from);
            byte[] chunk = new byte[(int) Math.min(CHUNK_BYTES, unread)];
            file.seek(from);
            file.readFully(chunk);
            // The same byte-by-byte view on both sides, so that no character can be cut.
            String seen = new String(chunk, StandardCharsets.ISO_8859_1);
            if (seen.contains(new String(sought, StandardCharsets.ISO_8859_1))) {
                return -1;
            }
            // What may be the beginning of the text is read again.
            return from + Math.max(0, chunk.length - (sought.length - 1));
        }
    }
}
