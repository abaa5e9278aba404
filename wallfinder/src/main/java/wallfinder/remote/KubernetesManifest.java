package wallfinder.remote;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/// The job whose pods are agents.
final class KubernetesManifest {
    private static final String LABEL = "app.kubernetes.io/name";
    private static final String OWN = "wallfinder";

    /// For the user who looks at it after a failure. Then the cluster deletes it.
    private static final int KEPT_SECONDS = 60;

    private static final int GRACE_SECONDS = 5;

    private KubernetesManifest() {}

    /// @param name of the job
    /// @param version of this program, and of the default image
    static String of(KubernetesTarget target, String name, String version) {
        Map<String, Object> spec = new LinkedHashMap<>();
        spec.put("completions", target.agents());
        spec.put("parallelism", target.agents());
        spec.put("completionMode", "Indexed");
        spec.put("backoffLimit", 0);
        spec.put("ttlSecondsAfterFinished", KEPT_SECONDS);
        spec.put(
                "template",
                Map.of(
                        "metadata",
                        Map.of("labels", Map.of(LABEL, OWN)),
                        "spec",
                        pod(target, name, version)));
        Map<String, Object> job = new LinkedHashMap<>();
        job.put("apiVersion", "batch/v1");
        job.put("kind", "Job");
        job.put("metadata", Map.of("name", name, "labels", Map.of(LABEL, OWN)));
        job.put("spec", spec);
        return JsonMapper.shared().writeValueAsString(job);
    }

    /// The pods are spread over the nodes, if there are several.
    private static Map<String, Object> pod(KubernetesTarget target, String name, String version) {
        Map<String, Object> pod = new LinkedHashMap<>();
        pod.put("restartPolicy", "Never");
        pod.put("automountServiceAccountToken", false);
        pod.put("enableServiceLinks", false);
        pod.put("terminationGracePeriodSeconds", GRACE_SECONDS);
        pod.put(
                "topologySpreadConstraints",
                List.of(
                        Map.of(
                                "maxSkew",
                                1,
                                "topologyKey",
                                "kubernetes.io/hostname",
                                "whenUnsatisfiable",
                                "ScheduleAnyway",
                                "labelSelector",
                                Map.of("matchLabels", Map.of("job-name", name)))));
        pod.put("containers", List.of(container(target, version)));
        return pod;
    }

    private static Map<String, Object> container(KubernetesTarget target, String version) {
        Map<String, Object> container = new LinkedHashMap<>();
        container.put("name", "agent");
        container.put("image", target.image().isEmpty() ? OWN + ":" + version : target.image());
        container.put("imagePullPolicy", "IfNotPresent");
        container.put("args", List.of("agent", "--wait"));
        container.put("stdin", true);
        container.put("stdinOnce", true);
        container.put(
                "securityContext",
                Map.of(
                        "allowPrivilegeEscalation",
                        false,
                        "capabilities",
                        Map.of("drop", List.of("ALL")),
                        "seccompProfile",
                        Map.of("type", "RuntimeDefault")));
        return container;
    }
}
