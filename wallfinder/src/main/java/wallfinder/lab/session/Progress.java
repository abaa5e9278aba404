package wallfinder.lab.session;

/// Where the lab reports what it is doing. Results do not go here.
public interface Progress {
    /// Prints a line that stays.
    void say(String line);

    /// Shows the current state. It replaces the previous state; an empty string clears it.
    void live(String state);
}
