package wallfinder.remote;

import java.util.List;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.linux.EnvironmentException;

/// A pod of a Kubernetes cluster, as the user's `kubectl` knows it.
///
/// @param image of Wallfinder, as the node knows it; empty for that of this version
/// @param context of the configuration of kubectl; empty for the current one
public record KubernetesPod(String namespace, String name, String image, String context)
        implements ServerTarget {
    static KubernetesPod parse(String option, String text) {
        KubernetesText parsed =
                KubernetesText.parse(
                        option,
                        text,
                        Set.of(KubernetesText.IMAGE, KubernetesText.CONTEXT),
                        "k8s:NAMESPACE/POD");
        int slash = parsed.place().indexOf('/');
        if (slash < 0) {
            throw parsed.refused("it names no pod");
        }
        return new KubernetesPod(
                parsed.checked(parsed.place().substring(0, slash), "namespace"),
                parsed.checked(parsed.place().substring(slash + 1), "pod"),
                parsed.value(KubernetesText.IMAGE),
                parsed.value(KubernetesText.CONTEXT));
    }

    /// @param uid names the cgroup of the pod
    /// @param node where it runs
    public record Found(String uid, String node) {}

    /// @throws EnvironmentException if it does not run, or this user may not see it
    public Found find() {
        String what = "%s cannot be watched".formatted(this);
        String out = kubectl().must(what, List.of("get", "pod", name, "-o", "json"), "");
        try {
            JsonNode pod = JsonMapper.shared().readTree(out);
            String phase = pod.path("status").path("phase").asString("");
            if (!phase.equals("Running")) {
                throw new EnvironmentException(
                        what,
                        "the pod does not run: its phase is " + phase,
                        "wait until it runs: kubectl get pod -n %s %s".formatted(namespace, name));
            }
            return new Found(
                    pod.required("metadata").required("uid").asString(),
                    pod.required("spec").required("nodeName").asString());
        } catch (JacksonException | IllegalArgumentException e) {
            throw new EnvironmentException(
                    what,
                    "kubectl printed something else than the pod (%s)".formatted(e.getMessage()),
                    "see kubectl get pod -o json -n %s %s".formatted(namespace, name));
        }
    }

    Kubectl kubectl() {
        return new Kubectl(toString(), namespace, context);
    }

    @Override
    public String toString() {
        return KubernetesText.SCHEME + namespace + "/" + name;
    }
}
