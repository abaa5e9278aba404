package wallfinder.remote;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.linux.EnvironmentException;

/// Agents in the pods of an Indexed Job, which lives as long as its agents have an input.
///
/// The agent is the first process of its pod. `kubectl attach` is its standard input and output. If
/// this process ends, even by `kill -9`, so does that input, then the agent, its pod, and a minute
/// later the job.
public final class KubernetesJob implements AutoCloseable {
    static final String AGENT = "agent";

    /// The nodes may have to pull the image.
    private static final Duration START_MAX = Duration.ofMinutes(4);

    /// A scheduler may need some seconds, or a node of its own for the pod.
    private static final Duration UNSCHEDULED_MAX = Duration.ofSeconds(60);

    private static final Duration LOOK_INTERVAL = Duration.ofMillis(500);
    private static final Duration END_MAX = Duration.ofSeconds(3);
    private static final int NAME_BYTES = 5;

    private final String place;
    private final String namespace;
    private final int count;
    private final Kubectl kubectl;
    private final String name;
    private final List<AgentProcess> agents = new ArrayList<>();

    /// @param place as the user named it
    private KubernetesJob(String place, String namespace, int count, Kubectl kubectl, String name) {
        this.place = place;
        this.namespace = namespace;
        this.count = count;
        this.kubectl = kubectl;
        this.name = name;
    }

    /// Starts agents that generate a load.
    ///
    /// @param version of this program
    /// @param say gets what happens, for the user
    /// @throws EnvironmentException if the cluster does not allow it, or a pod does not start
    public static KubernetesJob generators(
            KubernetesTarget target, String version, Consumer<String> say) {
        Kubectl kubectl = new Kubectl(target.toString(), target.namespace(), target.context());
        KubernetesJob job =
                new KubernetesJob(
                        target.toString(), target.namespace(), target.agents(), kubectl, name());
        say.accept(
                "starting %d agents in %s, as the job %s"
                        .formatted(target.agents(), target, job.name));
        return job.start(KubernetesManifest.generators(target, job.name, version));
    }

    /// Starts an agent that watches a pod, on its node.
    ///
    /// @param found what the cluster says of the pod
    /// @param version of this program
    /// @param say gets what happens, for the user
    /// @throws EnvironmentException if the cluster does not allow it, or the agent does not start
    public static KubernetesJob watcher(
            KubernetesPod pod, KubernetesPod.Found found, String version, Consumer<String> say) {
        KubernetesJob job =
                new KubernetesJob(pod.toString(), pod.namespace(), 1, pod.kubectl(), name());
        say.accept(
                "starting an agent on %s, the node of %s, as the job %s"
                        .formatted(found.node(), pod, job.name));
        return job.start(KubernetesManifest.watcher(pod, found.node(), job.name, version));
    }

    private static String name() {
        byte[] random = new byte[NAME_BYTES];
        new Random().nextBytes(random);
        return "wallfinder-" + HexFormat.of().formatHex(random);
    }

    /// Creates the job, waits until all pods run, and attaches to their agents.
    private KubernetesJob start(String manifest) {
        kubectl.must("no job can be created for " + place, List.of("create", "-f", "-"), manifest);
        try {
            runningPods().forEach(this::attach);
            return this;
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /// In the order of their indexes.
    public List<AgentProcess> agents() {
        return List.copyOf(agents);
    }

    private List<String> runningPods() {
        long start = System.nanoTime();
        while (true) {
            List<Pod> pods = pods();
            Duration waited = Duration.ofNanos(System.nanoTime() - start);
            for (Pod pod : pods) {
                checkStarts(pod, waited);
            }
            if (pods.size() == count && pods.stream().allMatch(Pod::runs)) {
                return pods.stream().map(Pod::name).toList();
            }
            if (waited.compareTo(START_MAX) > 0) {
                throw notStarted(
                        "%d of %d pods run after %d s"
                                .formatted(
                                        pods.stream().filter(Pod::runs).count(),
                                        count,
                                        waited.toSeconds()));
            }
            LockSupport.parkNanos(LOOK_INTERVAL.toNanos());
        }
    }

    private void checkStarts(Pod pod, Duration waited) {
        if (pod.hasEnded() || pod.cannotStart()) {
            throw notStarted("%s: %s".formatted(pod.name(), pod.reason()));
        }
        if (pod.unscheduled() && waited.compareTo(UNSCHEDULED_MAX) > 0) {
            throw notStarted("%s is on no node: %s".formatted(pod.name(), pod.reason()));
        }
    }

    private EnvironmentException notStarted(String why) {
        return new EnvironmentException(
                "the agents in %s did not start".formatted(place),
                why,
                "see the events of the pods (kubectl describe pods -n %s); &image=NAME names another image"
                        .formatted(namespace));
    }

    private List<Pod> pods() {
        String out =
                kubectl.must(
                        "the pods in %s cannot be listed".formatted(place),
                        List.of(
                                "get",
                                "pods",
                                "--request-timeout=10s",
                                "-l",
                                "job-name=" + name,
                                "-o",
                                "json"),
                        "");
        try {
            List<Pod> pods = new ArrayList<>();
            for (JsonNode item : JsonMapper.shared().readTree(out).required("items")) {
                pods.add(Pod.of(item));
            }
            pods.sort((one, other) -> Integer.compare(one.index(), other.index()));
            return pods;
        } catch (JacksonException | IllegalArgumentException e) {
            throw new EnvironmentException(
                    "the pods in %s cannot be listed".formatted(place),
                    "kubectl printed something else than their list (%s)".formatted(e.getMessage()),
                    "see kubectl get pods -o json -n " + namespace);
        }
    }

    private void attach(String pod) {
        agents.add(
                new InPod(
                        pod,
                        kubectl.start(List.of("attach", "--stdin", "--quiet", pod, "-c", AGENT))));
    }

    private final class InPod implements AgentProcess {
        private final String pod;
        private final Kubectl.Running attached;
        private @Nullable String why;

        InPod(String pod, Kubectl.Running attached) {
            this.pod = pod;
            this.attached = attached;
        }

        @Override
        public Process process() {
            return attached.process();
        }

        @Override
        public String where() {
            return place + "/" + pod;
        }

        /// The pod knows more than kubectl, such as that the kernel killed the agent. It is asked
        /// once: the answer may take a while, and the trial ends meanwhile.
        @Override
        public synchronized String whyEnded(String seen) {
            String known = why;
            if (known == null) {
                known = reason();
                why = known;
            }
            return known;
        }

        private String reason() {
            String line = SshFailure.lastLine(attached.errors());
            String otherwise = line.isEmpty() ? "its pod is gone" : line;
            try {
                return pods().stream()
                        .filter(one -> one.name().equals(pod))
                        .map(Pod::reason)
                        .filter(reason -> !reason.isEmpty())
                        .findFirst()
                        .orElse(otherwise);
            } catch (EnvironmentException e) {
                return line.isEmpty() ? e.why() : line; // the cluster does not answer, either
            }
        }

        @Override
        public String ifNotStarted() {
            return "see what it printed: kubectl logs -n %s %s".formatted(namespace, pod);
        }
    }

    /// Ends the agents, and deletes the job.
    @Override
    public void close() {
        for (AgentProcess agent : agents) {
            try {
                agent.process().getOutputStream().close();
            } catch (IOException e) {
                // It has ended.
            }
        }
        for (AgentProcess agent : agents) {
            if (SshLink.await(agent.process(), END_MAX) == null) {
                agent.process().destroyForcibly();
            }
        }
        agents.clear();
        try {
            kubectl.run(List.of("delete", "job", name, "--wait=false", "--ignore-not-found"), "");
        } catch (EnvironmentException e) {
            // The cluster deletes it later.
        }
    }
}
