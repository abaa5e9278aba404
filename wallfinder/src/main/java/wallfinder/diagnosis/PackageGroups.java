package wallfinder.diagnosis;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import wallfinder.observation.CpuWindow;
import wallfinder.observation.CpuWindow.SampledStack;

/// Divides classes into groups of packages that say something. It begins with the first two parts
/// of a package's name, and divides a large group by the next part as long as two of the new groups
/// matter. `org.apache` with nothing but `org.apache.cxf` in it is divided if that is.
final class PackageGroups {
    private static final int PARTS_MIN = 2;
    private static final int PARTS_MAX = 5;

    /// A group of less than this share of the samples is not divided.
    private static final double DIVIDED_MIN = 0.1;

    private static final double MATTERS_MIN = 0.03;

    private PackageGroups() {}

    /// From the name of a class to the name of its group.
    static Function<String, String> of(List<CpuWindow> windows) {
        Map<String, Long> counts = new TreeMap<>();
        windows.forEach(w -> w.stacks().values().forEach(stacks -> count(stacks, counts)));
        double all = counts.values().stream().mapToLong(Long::longValue).sum();
        Map<String, String> groups = new TreeMap<>();
        counts.keySet().forEach(name -> groups.put(name, group(name, counts, all)));
        return type -> groups.getOrDefault(packageOf(type), packageOf(type));
    }

    private static void count(List<SampledStack> stacks, Map<String, Long> counts) {
        for (SampledStack stack : stacks) {
            String type = WindowShares.owner(stack.frames()).type();
            counts.merge(packageOf(type), stack.count(), Long::sum);
        }
    }

    private static String packageOf(String type) {
        int end = type.lastIndexOf('.');
        return end < 0 ? "no package" : type.substring(0, end);
    }

    private static String group(String name, Map<String, Long> counts, double all) {
        int parts = PARTS_MIN;
        while (parts < PARTS_MAX && isDivided(first(name, parts), parts, counts, all)) {
            parts++;
        }
        return first(name, parts);
    }

    private static boolean isDivided(
            String group, int parts, Map<String, Long> counts, double all) {
        TreeMap<String, Long> next = new TreeMap<>();
        long sum = 0;
        for (Map.Entry<String, Long> each : counts.entrySet()) {
            if (first(each.getKey(), parts).equals(group)) {
                sum += each.getValue();
                next.merge(first(each.getKey(), parts + 1), each.getValue(), Long::sum);
            }
        }
        next.values().removeIf(count -> count < MATTERS_MIN * all);
        if (sum < DIVIDED_MIN * all || next.isEmpty()) {
            return false;
        }
        String only = next.firstKey();
        return next.size() > 1
                || (parts + 1 < PARTS_MAX
                        && !only.equals(group)
                        && isDivided(only, parts + 1, counts, all));
    }

    private static String first(String name, int parts) {
        int end = -1;
        for (int i = 0; i < parts; i++) {
            end = name.indexOf('.', end + 1);
            if (end < 0) {
                return name;
            }
        }
        return name.substring(0, end);
    }
}
