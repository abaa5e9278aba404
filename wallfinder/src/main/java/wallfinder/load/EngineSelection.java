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
        if (wanted == EngineChoice.EPOLL) {
            return new EngineSelection(EngineChoice.EPOLL, "epoll was requested");
        }
        String missing = Ring.unavailableReason();
        if (missing == null) {
            return new EngineSelection(EngineChoice.IO_URING, "io_uring works here");
        }
        if (wanted == EngineChoice.IO_URING) {
            throw new EnvironmentException(
                    "io_uring was requested but cannot be used",
                    missing,
                    "leave --engine at auto, or check kernel.io_uring_disabled and the seccomp"
                            + " profile of the container");
        }
        return new EngineSelection(EngineChoice.EPOLL, "io_uring cannot be used: " + missing);
    }

    Engine open(int connections, Connector connector) {
        return choice == EngineChoice.EPOLL
                ? new EpollEngine(connections, connector)
                : new UringEngine(connections, connector);
    }
}
