package wallfinder.remote;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/// The jobs whose pods are agents.
final class KubernetesManifest {
    private static final String LABEL = "app.kubernetes.io/name";
    private static final String OWN = "wallfinder";
    private static final String CGROUPS = "cgroups";

    /// For the user who looks at it after a failure. Then the cluster deletes it.
    private static final int KEPT_SECONDS = 60;

    private static final int GRACE_SECONDS = 5;

    private KubernetesManifest() {}

    /// @param name of the job
    /// @param version of this program, and of the default image
    static String generators(KubernetesTarget target, String name, String version) {
        Map<String, Object> container = container(target.image(), version);
        container.put(
                "securityContext",
                Map.of(
                        "allowPrivilegeEscalation",
                        false,
                        "capabilities",
                        Map.of("drop", List.of("ALL")),
                        "seccompProfile",
                        Map.of("type", "RuntimeDefault")));
        Map<String, Object> pod = pod(container);
        // Over the nodes, if there are several.
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
        return job(name, target.agents(), pod);
    }

    /// The agent sees the processes and the cgroups of its node, and may enter the namespaces of
    /// the watched pod.
    ///
    /// @param node of the watched pod
    static String watcher(KubernetesPod watched, String node, String name, String version) {
        String cgroups = "/sys/fs/cgroup";
        Map<String, Object> container = container(watched.image(), version);
        container.put("securityContext", Map.of("privileged", true, "runAsUser", 0));
        container.put(
                "volumeMounts",
                List.of(Map.of("name", CGROUPS, "mountPath", cgroups, "readOnly", true)));
        Map<String, Object> pod = pod(container);
        pod.put("nodeName", node);
        pod.put("hostPID", true);
        pod.put("hostNetwork", true); // for the name of the node
        pod.put("tolerations", List.of(Map.of("operator", "Exists")));
        pod.put("volumes", List.of(Map.of("name", CGROUPS, "hostPath", Map.of("path", cgroups))));
        return job(name, 1, pod);
    }

    private static String job(String name, int count, Map<String, Object> pod) {
        Map<String, Object> spec = new LinkedHashMap<>();
        spec.put("completions", count);
        spec.put("parallelism", count);
        spec.put("completionMode", "Indexed");
        spec.put("backoffLimit", 0);
        spec.put("ttlSecondsAfterFinished", KEPT_SECONDS);
        spec.put("template", Map.of("metadata", Map.of("labels", Map.of(LABEL, OWN)), "spec", pod));
        Map<String, Object> job = new LinkedHashMap<>();
        job.put("apiVersion", "batch/v1");
        job.put("kind", "Job");
        job.put("metadata", Map.of("name", name, "labels", Map.of(LABEL, OWN)));
        job.put("spec", spec);
        return JsonMapper.shared().writeValueAsString(job);
    }

    private static Map<String, Object> pod(Map<String, Object> container) {
        Map<String, Object> pod = new LinkedHashMap<>();
        pod.put("restartPolicy", "Never");
        pod.put("automountServiceAccountToken", false);
        pod.put("enableServiceLinks", false);
        pod.put("terminationGracePeriodSeconds", GRACE_SECONDS);
        pod.put("containers", List.of(container));
        return pod;
    }

    private static Map<String, Object> container(String image, String version) {
        Map<String, Object> container = new LinkedHashMap<>();
        container.put("name", KubernetesJob.AGENT);
        container.put("image", image.isEmpty() ? OWN + ":" + version : image);
        container.put("imagePullPolicy", "IfNotPresent");
        container.put("args", List.of("agent", "--wait"));
        container.put("stdin", true);
        container.put("stdinOnce", true);
        return container;
    }
}
