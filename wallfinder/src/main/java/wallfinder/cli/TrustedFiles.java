package wallfinder.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import wallfinder.linux.UserFolder;

/// The experiments that a user has agreed to: one SHA-256 for each text, in a file of that user.
final class TrustedFiles {
    private final Path list;

    TrustedFiles(Path list) {
        this.list = list;
    }

    /// The file is in the user's folder for the state of programs (`XDG_STATE_HOME`).
    static TrustedFiles ofUser() {
        return new TrustedFiles(UserFolder.state().resolve("wallfinder/trusted"));
    }

    boolean contains(String text) {
        try {
            return Files.readAllLines(list, StandardCharsets.US_ASCII).contains(digest(text));
        } catch (IOException e) {
            return false;
        }
    }

    void add(String text) {
        if (contains(text)) {
            return;
        }
        try {
            Files.createDirectories(list.getParent());
            Files.writeString(
                    list,
                    digest(text) + "\n",
                    StandardCharsets.US_ASCII,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            System.err.println("the next run will ask again: " + list + " cannot be written: " + e);
        }
    }

    private static String digest(String text) {
        try {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
