package wallfinder.services.echo;

/// Connections without state: an event determines what to do with its connection.
record RawConnections(Loop loop) implements Connections {
    @Override
    public void begin(int fd) {
        // Nothing to do before the first message.
    }

    @Override
    public void ready(int fd) {
        if (!loop.serve(fd)) {
            loop.end(fd);
        }
    }

    @Override
    public void runLate() {
        // No other thread queues work.
    }
}
