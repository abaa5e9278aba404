package wallfinder.sandbox;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The output of a service since one of its starts. A log file continues through several starts.
///
/// @param start the offset of this start's first byte
record ServiceLog(Path path, long start) {
    private static final int TAIL_BYTES_MAX = 64 * 1024;
    private static final int CHUNK_BYTES = 256 * 1024;

    static ServiceLog beginning(Path path) throws IOException {
        return new ServiceLog(path, Files.exists(path) ? Files.size(path) : 0);
    }

    /// The last lines, at most `count` of them and at most 64 KiB.
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

    /// Looks for a text in what was written since an offset.
    ///
    /// @return minus one if the text was found, else the offset for the next call
    long find(String text, long from) throws IOException {
        byte[] sought = text.getBytes(StandardCharsets.UTF_8);
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            long unread = Math.max(0, file.length() - from);
            byte[] chunk = new byte[(int) Math.min(CHUNK_BYTES, unread)];
            file.seek(from);
            file.readFully(chunk);
            // One character for each byte on both sides, so that no character is cut in two.
            String seen = new String(chunk, StandardCharsets.ISO_8859_1);
            if (seen.contains(new String(sought, StandardCharsets.ISO_8859_1))) {
                return -1;
            }
            // The next call reads again what may be the beginning of the text.
            return from + Math.max(0, chunk.length - (sought.length - 1));
        }
    }
}
