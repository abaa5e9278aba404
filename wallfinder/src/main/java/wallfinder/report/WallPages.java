package wallfinder.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import wallfinder.experiment.Nearest;
import wallfinder.experiment.UsageException;
import wallfinder.experiment.WallId;

/// The pages of the walls, which `explain` prints.
public final class WallPages {
    private WallPages() {}

    public static List<String> ids() {
        return WallId.WORDS.stream().sorted().toList();
    }

    /// @throws UsageException if there is no such wall
    public static String page(String id) throws IOException {
        if (!ids().contains(id)) {
            throw new UsageException(
                    "there is no wall \"" + id + "\"",
                    "the walls are " + String.join(", ", ids()),
                    Nearest.advice(id, ids()));
        }
        try (InputStream page =
                WallPages.class.getResourceAsStream("/wallfinder/walls/" + id + ".md")) {
            if (page == null) {
                throw new IllegalStateException("the page of " + id + " is missing");
            }
            return new String(page.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
