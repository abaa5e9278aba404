package wallfinder.remote;

/// Where one or several agents generate a load.
public sealed interface GeneratorTarget permits SshTarget, KubernetesTarget {
    /// How many agents run there.
    int agents();

    /// @param option the option with this value, for errors
    /// @throws wallfinder.experiment.UsageException if it has the form of neither
    static GeneratorTarget parse(String option, String text) {
        return text.startsWith(KubernetesText.SCHEME)
                ? KubernetesTarget.parse(option, text)
                : SshTarget.parse(option, text);
    }
}
