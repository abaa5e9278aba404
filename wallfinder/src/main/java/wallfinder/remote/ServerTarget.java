package wallfinder.remote;

/// Where a server is watched, if it is not on this host.
public sealed interface ServerTarget permits SshTarget, KubernetesPod {
    /// @param option the option with this value, for errors
    /// @throws wallfinder.experiment.UsageException if it has the form of neither
    static ServerTarget parse(String option, String text) {
        return text.startsWith(KubernetesText.SCHEME)
                ? KubernetesPod.parse(option, text)
                : SshTarget.parse(option, text);
    }
}
