package wallfinder.linux;

import java.util.BitSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Lists of CPUs as the kernel writes them, such as `0-2,5` (`cpuset(7)`).
public final class CpuList {
    private static final int CPUS_MAX = 8192; // CONFIG_NR_CPUS of the largest builds
    private static final Pattern RANGE = Pattern.compile("(\\d{1,4})(?:-(\\d{1,4}))?");

    private CpuList() {}

    /// @throws NumberFormatException if it is not such a list; the message is the wrong part
    public static BitSet parse(String list) {
        BitSet cpus = new BitSet();
        for (String part : list.split(",", -1)) {
            Matcher range = RANGE.matcher(part.strip());
            if (!range.matches()) {
                throw new NumberFormatException(part);
            }
            int first = Integer.parseInt(range.group(1));
            int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
            if (last < first || last >= CPUS_MAX) {
                throw new NumberFormatException(part);
            }
            cpus.set(first, last + 1);
        }
        return cpus;
    }
}
