package wallfinder.remote;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import wallfinder.experiment.UsageException;

/// Agents in the pods of a Kubernetes cluster, as the user's `kubectl` knows it.
///
/// @param agents the number of pods
/// @param image of Wallfinder, as the nodes know it; empty for that of this version
/// @param context of the configuration of kubectl; empty for the current one
public record KubernetesTarget(String namespace, int agents, String image, String context)
        implements GeneratorTarget {
    static final String SCHEME = "k8s:";

    private static final int AGENTS_MAX = 1_000;
    private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    /// No text that kubectl would take for an option.
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/@+-]*");

    private static final String REPLICAS = "replicas";
    private static final String IMAGE = "image";
    private static final String CONTEXT = "context";

    static KubernetesTarget parse(String option, String text) {
        String rest = text.substring(SCHEME.length());
        int mark = rest.indexOf('?');
        String namespace = mark < 0 ? rest : rest.substring(0, mark);
        if (!NAMESPACE.matcher(namespace).matches()) {
            throw refused(option, text, "it names no namespace");
        }
        Map<String, String> values = new TreeMap<>();
        for (String pair : mark < 0 ? new String[0] : rest.substring(mark + 1).split("&")) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            String value = equals < 0 ? "" : pair.substring(equals + 1);
            boolean known = name.equals(REPLICAS) || name.equals(IMAGE) || name.equals(CONTEXT);
            if (!known || !NAME.matcher(value).matches()) {
                throw refused(option, text, "\"%s\" is not understood".formatted(pair));
            }
            values.put(name, value);
        }
        return new KubernetesTarget(
                namespace,
                replicas(option, text, values.getOrDefault(REPLICAS, "1")),
                values.getOrDefault(IMAGE, ""),
                values.getOrDefault(CONTEXT, ""));
    }

    private static int replicas(String option, String text, String value) {
        if (value.matches("[1-9][0-9]{0,3}") && Integer.parseInt(value) <= AGENTS_MAX) {
            return Integer.parseInt(value);
        }
        throw refused(
                option, text, "replicas has to be a number from 1 to %,d".formatted(AGENTS_MAX));
    }

    private static UsageException refused(String option, String text, String why) {
        return new UsageException(
                "%s %s cannot be used".formatted(option, text),
                why,
                "write it as k8s:NAMESPACE?replicas=4, with &image=NAME or &context=NAME if needed");
    }

    @Override
    public String toString() {
        return SCHEME + namespace;
    }
}
