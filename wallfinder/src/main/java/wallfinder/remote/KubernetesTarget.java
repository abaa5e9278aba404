package wallfinder.remote;

import java.util.Set;

/// Agents in the pods of a Kubernetes cluster, as the user's `kubectl` knows it.
///
/// @param agents the number of pods
/// @param image of Wallfinder, as the nodes know it; empty for that of this version
/// @param context of the configuration of kubectl; empty for the current one
public record KubernetesTarget(String namespace, int agents, String image, String context)
        implements GeneratorTarget {
    private static final int AGENTS_MAX = 1_000;
    private static final String REPLICAS = "replicas";

    static KubernetesTarget parse(String option, String text) {
        KubernetesText parsed =
                KubernetesText.parse(
                        option,
                        text,
                        Set.of(REPLICAS, KubernetesText.IMAGE, KubernetesText.CONTEXT),
                        "k8s:NAMESPACE?replicas=4");
        return new KubernetesTarget(
                parsed.checked(parsed.place(), "namespace"),
                replicas(parsed),
                parsed.value(KubernetesText.IMAGE),
                parsed.value(KubernetesText.CONTEXT));
    }

    private static int replicas(KubernetesText parsed) {
        String value = parsed.values().getOrDefault(REPLICAS, "1");
        if (value.matches("[1-9][0-9]{0,3}") && Integer.parseInt(value) <= AGENTS_MAX) {
            return Integer.parseInt(value);
        }
        throw parsed.refused("replicas has to be a number from 1 to %,d".formatted(AGENTS_MAX));
    }

    @Override
    public String toString() {
        return KubernetesText.SCHEME + namespace;
    }
}
