package wallfinder.remote;

/// An agent that was started on another host.
public interface AgentProcess {
    /// The agent's input and output are streams of this process.
    Process process();

    /// The host, as the user named it.
    String where();

    /// Why the agent ended.
    ///
    /// @param seen what its output showed
    String whyEnded(String seen);

    /// What to do if it did not start.
    String ifNotStarted();

    /// By ssh.
    record BySsh(SshLink link, SshLink.Program program) implements AgentProcess {
        @Override
        public Process process() {
            return program.process();
        }

        @Override
        public String where() {
            return link.target().toString();
        }

        @Override
        public String whyEnded(String seen) {
            return link.whyEnded(program, seen);
        }

        @Override
        public String ifNotStarted() {
            return "remove the copy, and the next run makes it anew: wallfinder agents clean "
                    + link.target();
        }
    }
}
