package wallfinder.diagnosis;

/// A remedy outside the sandbox, with its price. It was not verified.
///
/// @param command the exact command, or what to change if there is none
/// @param profiled the same for somebody who has a profile already
public record Advice(String command, String price, String profiled) {
    public Advice(String command, String price) {
        this(command, price, command);
    }

    /// The same for another host.
    public Advice on(String host) {
        String where = "on %s: ".formatted(host);
        return new Advice(where + command, price, where + profiled);
    }

    /// The same, below a profile.
    public Advice belowProfile() {
        return new Advice(profiled, price);
    }
}
