package wallfinder.lab.session;

/// Where the lab tells what it is doing. Results are not told here.
public interface Progress {
    /// A line that stays.
    void say(String line);

    /// The state of the moment; each call replaces the one before. The empty string takes it away.
    void live(String state);
}
