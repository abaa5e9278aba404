package wallfinder.remote;

import tools.jackson.databind.JsonNode;

/// A pod of a job, as the cluster sees it.
///
/// @param index its number in the job
/// @param phase such as `Pending`, `Running`, `Failed`
/// @param waiting why its container does not start yet, such as `ErrImagePull`; may be empty
/// @param unscheduled whether no node takes it
/// @param reason what the cluster says about it; may be empty
record Pod(
        String name, int index, String phase, String waiting, boolean unscheduled, String reason) {
    static Pod of(JsonNode item) {
        JsonNode status = item.path("status");
        JsonNode state = status.path("containerStatuses").path(0).path("state");
        String waiting = state.path("waiting").path("reason").asString("");
        JsonNode scheduled = scheduled(status);
        boolean unscheduled = scheduled.path("status").asString("").equals("False");
        JsonNode says =
                state.has("terminated")
                        ? state.path("terminated")
                        : unscheduled ? scheduled : state.path("waiting");
        String index = "batch.kubernetes.io/job-completion-index";
        return new Pod(
                item.required("metadata").required("name").asString(),
                item.path("metadata").path("annotations").path(index).asInt(0),
                status.path("phase").asString(""),
                waiting,
                unscheduled,
                reason(says));
    }

    private static JsonNode scheduled(JsonNode status) {
        for (JsonNode condition : status.path("conditions")) {
            if (condition.path("type").asString("").equals("PodScheduled")) {
                return condition;
            }
        }
        return status.path("conditions").path("none");
    }

    /// `OOMKilled, exit code 137`, or `ErrImagePull: no such image`.
    private static String reason(JsonNode says) {
        String reason = says.path("reason").asString("");
        if (says.has("exitCode")) {
            return "%s, exit code %d".formatted(reason, says.path("exitCode").asInt());
        }
        String message = says.path("message").asString("");
        return message.isEmpty() ? reason : reason + ": " + message;
    }

    boolean runs() {
        return phase.equals("Running");
    }

    boolean hasEnded() {
        return phase.equals("Failed") || phase.equals("Succeeded");
    }

    /// Whether the container waits for something that seldom comes by itself.
    boolean cannotStart() {
        return switch (waiting) {
            case "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull" ->
                    true;
            case "CreateContainerConfigError", "CreateContainerError", "RunContainerError" -> true;
            default -> false;
        };
    }
}
