package wallfinder.load;

public enum EngineChoice {
    /// io_uring if it works, otherwise epoll.
    AUTO("auto"),
    IO_URING("io_uring"),
    EPOLL("epoll");

    private final String word;

    EngineChoice(String word) {
        this.word = word;
    }

    public String word() {
        return word;
    }
}
