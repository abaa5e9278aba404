package wallfinder.experiment;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/// Reads text files that the user names.
final class TextFile {
    private TextFile() {}

    /// @param kind what the user takes the file for, such as `experiment`
    /// @param todo what to do if it cannot be read
    static String read(Path path, int bytesMax, String kind, String todo) {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(bytesMax + 1);
            if (bytes.length <= bytesMax) {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes))
                        .toString();
            }
            throw unreadable(path, kind, "it is larger than " + (bytesMax >> 20) + " MB", todo);
        } catch (NoSuchFileException _) {
            throw unreadable(path, kind, "there is no such file", todo);
        } catch (CharacterCodingException _) {
            throw unreadable(path, kind, "it is not text in UTF-8", todo);
        } catch (IOException e) {
            String why = Files.isDirectory(path) ? "it is a directory" : "the system refuses: " + e;
            throw unreadable(path, kind, why, todo);
        }
    }

    private static UsageException unreadable(Path path, String kind, String why, String todo) {
        return new UsageException("The " + kind + " " + path + " cannot be read", why, todo);
    }
}
