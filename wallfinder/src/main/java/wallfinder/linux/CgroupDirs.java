package wallfinder.linux;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The folders of one cgroup: one for all controllers in version 2, one per controller in version
/// 1; null for a missing controller.
///
/// @param version 1 or 2
public record CgroupDirs(
        int version, @Nullable Path cpu, @Nullable Path memory, @Nullable Path pids) {}
