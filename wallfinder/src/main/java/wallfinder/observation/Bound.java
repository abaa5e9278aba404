package wallfinder.observation;

import java.util.List;

/// A limit of one end, read before any load. Something without a limit has no bound.
///
/// @param limit the limit, in the unit of its kind
/// @param inUse how much of it is in use; `NaN` if unknown
/// @param holdSeconds how long a closed connection still counts; 0 if it does not
/// @param setter who set the limit, and how to raise it
/// @param source where to read the limit
public record Bound(
        Kind kind,
        End end,
        double limit,
        double inUse,
        double holdSeconds,
        Setter setter,
        String source) {

    public enum Kind {
        /// Local ports from one address towards one destination.
        LOCAL_PORTS,
        /// Closed connections in TIME_WAIT.
        TIME_WAIT_SOCKETS,
        /// Connections for which the generator has descriptors.
        GENERATOR_DESCRIPTORS,
        /// Open descriptors of the processes that accept connections.
        PROCESS_DESCRIPTORS,
        /// Open files of the whole host.
        HOST_FILES,
        /// Descriptors that one user watches with epoll.
        EPOLL_WATCHES,
        /// Buckets of the kernel's connection table, which has one end of each connection.
        SOCKET_BUCKETS,
        /// The same for a table with both ends of each connection.
        SOCKET_BUCKETS_OF_BOTH,
        /// Processes and threads of a cgroup.
        CGROUP_TASKS,
        /// Processes and threads of a user.
        USER_TASKS,
        /// Processes and threads of the host.
        HOST_TASKS,
        /// Established connections that wait to be accepted.
        ACCEPT_QUEUE,
        /// Entries of the connection tracking table.
        TRACKED_CONNECTIONS,
        /// Bytes in the buffers of all TCP sockets.
        TCP_BUFFERS,
        /// Bytes of a cgroup.
        CGROUP_MEMORY,
        /// Bytes of live objects of a JVM.
        HEAP,
        /// CPU seconds a second.
        CPU_QUOTA,
        /// CPUs that the service may run on.
        CPUS,
        /// Requests that the service works on at once.
        CONCURRENCY,
        /// Connections from one service to another.
        CONNECTION_POOL
    }

    /// Who set a limit.
    ///
    /// @param origin a file, a setting, a cgroup, a systemd unit or an option
    /// @param commands ways to raise the limit, the best first; `{to}` stands for the new value
    public record Setter(String origin, List<String> commands) {
        public Setter {
            commands = List.copyOf(commands);
        }
    }

    public boolean bytes() {
        return kind == Kind.TCP_BUFFERS || kind == Kind.CGROUP_MEMORY || kind == Kind.HEAP;
    }

    public double free() {
        return Math.max(0, limit - (Double.isNaN(inUse) ? 0 : inUse));
    }
}
