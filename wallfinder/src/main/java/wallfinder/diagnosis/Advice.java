package wallfinder.diagnosis;

/// A remedy outside the sandbox: what the user would do, and what it costs. It was not verified.
///
/// @param command the exact command where there is one, else what to change
public record Advice(String command, String price) {}
