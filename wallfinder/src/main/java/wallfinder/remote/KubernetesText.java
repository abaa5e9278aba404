package wallfinder.remote;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import wallfinder.experiment.UsageException;

/// What a user writes for a place in a Kubernetes cluster: `k8s:PLACE?NAME=VALUE&NAME=VALUE`.
///
/// @param option the option with this text
/// @param example of one that is right
record KubernetesText(
        String option, String text, String place, Map<String, String> values, String example) {
    static final String SCHEME = "k8s:";

    static final String IMAGE = "image";
    static final String CONTEXT = "context";

    /// No text that kubectl would take for an option.
    private static final Pattern VALUE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/@+-]*");

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");

    /// @param names of the values that may be there
    static KubernetesText parse(String option, String text, Set<String> names, String example) {
        String rest = text.substring(SCHEME.length());
        int mark = rest.indexOf('?');
        KubernetesText parsed =
                new KubernetesText(
                        option,
                        text,
                        mark < 0 ? rest : rest.substring(0, mark),
                        new TreeMap<>(),
                        example);
        for (String pair : mark < 0 ? new String[0] : rest.substring(mark + 1).split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            String value = equals < 0 ? "" : pair.substring(equals + 1);
            if (!names.contains(name) || !VALUE.matcher(value).matches()) {
                throw parsed.refused("\"%s\" is not understood".formatted(pair));
            }
            parsed.values.put(name, value);
        }
        return parsed;
    }

    /// The value; empty if it is not there.
    String value(String name) {
        return values.getOrDefault(name, "");
    }

    /// @throws UsageException if nothing in a cluster can have this name
    String checked(String name, String what) {
        if (!NAME.matcher(name).matches()) {
            throw refused("it names no " + what);
        }
        return name;
    }

    UsageException refused(String why) {
        return new UsageException(
                "%s %s cannot be used".formatted(option, text),
                why,
                "write it as %s, with image=NAME or context=NAME if needed".formatted(example));
    }
}
