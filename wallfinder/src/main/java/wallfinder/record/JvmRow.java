package wallfinder.record;

import java.util.List;

/// A JVM of this host.
///
/// @param from how it was found, such as `JAVA_HOME` or `/usr/lib/jvm`
/// @param archives its default class archives
public record JvmRow(
        int major,
        String version,
        String vendor,
        String home,
        List<String> from,
        List<String> archives) {}
