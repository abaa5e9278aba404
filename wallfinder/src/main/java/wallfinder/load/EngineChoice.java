package wallfinder.load;

/// What the user wants to drive with.
public enum EngineChoice {
    /// io_uring where it works, else epoll.
    AUTO("auto"),
    IO_URING("io_uring"),
    EPOLL("epoll");

    private final String word;

    EngineChoice(String word) {
        this.word = word;
    }

    /// The word on the command line and in the report.
    public String word() {
        return word;
    }
}
