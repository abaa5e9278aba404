package wallfinder.load;

import wallfinder.linux.EnvironmentException;
import wallfinder.linux.Ring;

/// Which engine drives, and why.
///
/// @param choice never AUTO
/// @param reason a sentence without full stop
record EngineSelection(EngineChoice choice, String reason) {
    /// Asks the kernel if necessary.
    ///
    /// @throws EnvironmentException if io_uring is required and does not work
    static EngineSelection of(EngineChoice wanted) {
        return switch (wanted) {
            case EPOLL -> new EngineSelection(EngineChoice.EPOLL, "epoll was asked for");
            case IO_URING, AUTO -> probe(wanted == EngineChoice.IO_URING);
        };
    }

    private static EngineSelection probe(boolean required) {
        String missing = Ring.unavailableReason();
        if (missing == null) {
            return new EngineSelection(EngineChoice.IO_URING, "io_uring works here");
        }
        if (required) {
            throw new EnvironmentException(
                    "io_uring was asked for and cannot be used",
                    missing,
                    "leave the choice of the engine to auto, or see kernel.io_uring_disabled and"
                            + " the container's seccomp profile");
        }
        return new EngineSelection(EngineChoice.EPOLL, "io_uring cannot be used: " + missing);
    }

    Engine open(int connections, Connector connector) {
        return choice == EngineChoice.EPOLL
                ? new EpollEngine(connections, connector)
                : new UringEngine(connections, connector);
    }
}
