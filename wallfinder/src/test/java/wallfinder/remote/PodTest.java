package wallfinder.remote;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/// What `kubectl get pods -o json` says of a pod, shortened.
class PodTest {
    private static Pod pod(String status) {
        return Pod.of(
                JsonMapper.shared()
                        .readTree(
                                """
                                {"metadata": {"name": "wallfinder-1-0-abc",
                                  "annotations": {"batch.kubernetes.io/job-completion-index": "2"}},
                                 "status": %s}
                                """
                                        .formatted(status)));
    }

    @Test
    void a_running_pod_has_its_index_and_no_reason() {
        Pod pod =
                pod(
                        "{\"phase\": \"Running\", \"containerStatuses\": [{\"state\": {\"running\": {}}}]}");
        assertThat(pod.index()).isEqualTo(2);
        assertThat(pod.runs()).isTrue();
        assertThat(pod.hasEnded() || pod.cannotStart() || pod.unscheduled()).isFalse();
        assertThat(pod.reason()).isEmpty();
    }

    @Test
    void an_image_that_cannot_be_pulled_is_a_reason() {
        Pod pod =
                pod(
                        """
                        {"phase": "Pending", "containerStatuses": [{"state":
                          {"waiting": {"reason": "ErrImagePull", "message": "no such image"}}}]}
                        """);
        assertThat(pod.cannotStart()).isTrue();
        assertThat(pod.reason()).isEqualTo("ErrImagePull: no such image");
    }

    @Test
    void a_pod_that_waits_for_a_node_says_why() {
        Pod pod =
                pod(
                        """
                        {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False",
                          "reason": "Unschedulable", "message": "0/1 nodes are available"}]}
                        """);
        assertThat(pod.unscheduled()).isTrue();
        assertThat(pod.cannotStart()).isFalse();
        assertThat(pod.reason()).isEqualTo("Unschedulable: 0/1 nodes are available");
    }

    @Test
    void a_killed_pod_has_its_exit_code() {
        Pod pod =
                pod(
                        """
                        {"phase": "Failed", "containerStatuses": [{"state":
                          {"terminated": {"reason": "OOMKilled", "exitCode": 137}}}]}
                        """);
        assertThat(pod.hasEnded()).isTrue();
        assertThat(pod.reason()).isEqualTo("OOMKilled, exit code 137");
    }
}
