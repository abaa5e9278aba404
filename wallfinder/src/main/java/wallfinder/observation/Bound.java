package wallfinder.observation;

import java.util.List;

/// A limit as it stood on one end, before any load.
///
/// @param limit what may not be passed, in the kind's own unit; an unlimited one is not told
/// @param inUse how much of it is taken; `NaN` if that is not known
/// @param holdSeconds how long something that was closed keeps its place; 0 where it does not
/// @param setter who set it, and how it is raised
/// @param source where anyone can read it
public record Bound(
        Kind kind,
        End end,
        double limit,
        double inUse,
        double holdSeconds,
        Setter setter,
        String source) {

    /// What is limited.
    public enum Kind {
        /// Local ports from one address towards one destination.
        LOCAL_PORTS,
        /// Closed connections in TIME_WAIT.
        TIME_WAIT_SOCKETS,
        /// Connections that the generator has descriptors for.
        GENERATOR_DESCRIPTORS,
        /// Open descriptors of the processes that accept.
        PROCESS_DESCRIPTORS,
        /// Open files of the whole host.
        HOST_FILES,
        /// Descriptors that one user watches by epoll.
        EPOLL_WATCHES,
        /// Buckets of the kernel's table of connections, in which one end of each is.
        SOCKET_BUCKETS,
        /// The same where both ends of each are in it.
        SOCKET_BUCKETS_OF_BOTH,
        /// Processes and threads of a cgroup.
        CGROUP_TASKS,
        /// Processes and threads of a user.
        USER_TASKS,
        /// Processes and threads of the host.
        HOST_TASKS,
        /// Established connections that wait to be accepted.
        ACCEPT_QUEUE,
        /// Connections in the table of the connection tracking.
        TRACKED_CONNECTIONS,
        /// Bytes in the buffers of all TCP sockets.
        TCP_BUFFERS(true),
        /// Bytes of a cgroup.
        CGROUP_MEMORY(true),
        /// Bytes of live objects of a JVM.
        HEAP(true),
        /// CPU time in a second of time.
        CPU_QUOTA,
        /// CPUs that the service may run on.
        CPUS,
        /// Requests that the service works on at a time.
        CONCURRENCY,
        /// Connections that a service has to another one.
        CONNECTION_POOL;

        private final boolean bytes;

        Kind() {
            this(false);
        }

        Kind(boolean bytes) {
            this.bytes = bytes;
        }
    }

    /// Who set a limit.
    ///
    /// @param origin a file, a setting, a cgroup, a systemd unit or an option
    /// @param commands what raises it, the first to be tried first; `{to}` stands for the new value
    public record Setter(String origin, List<String> commands) {
        public Setter {
            commands = List.copyOf(commands);
        }
    }

    /// Whether it counts bytes.
    public boolean bytes() {
        return kind.bytes;
    }

    /// How much is left.
    public double free() {
        return Math.max(0, limit - (Double.isNaN(inUse) ? 0 : inUse));
    }
}
