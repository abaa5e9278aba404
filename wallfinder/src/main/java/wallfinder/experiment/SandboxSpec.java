package wallfinder.experiment;

import java.util.Map;

/// The kernel settings of each end's network namespace, by sysctl name.
public record SandboxSpec(Map<String, String> server, Map<String, String> client) {}
