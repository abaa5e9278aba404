package wallfinder.services.echo;

/// Connections of which nothing is kept: what is to be done with one is told by what has come.
record RawConnections(Loop loop) implements Connections {
    @Override
    public void begin(int fd) {
        // Nothing is done before something comes.
    }

    @Override
    public void ready(int fd) {
        if (!loop.serve(fd)) {
            loop.end(fd);
        }
    }

    @Override
    public void runLate() {
        // Nothing of it runs elsewhere.
    }
}
