package wallfinder.sampling;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Processes and their descendants. This process is a member only as a root: a generator that the
/// service has started, such as the one of a test in the service's JVM, is no part of the service.
///
/// When a parent reaps a child, the kernel adds the child's CPU time to the parent, so the sum
/// keeps it. This class keeps the CPU time of descendants that no member has reaped.
final class ProcessTree implements AutoCloseable {
    /// More processes than this are a crowd.
    static final int FEW = 256;

    private static final int PROCESSES_MAX = 16_384;

    /// A scan looks at no more than this many new processes of the host.
    private static final int STRANGERS_MAX = 8_192;

    private static final File PROC = new File("/proc");
    private static final int SELF = (int) ProcessHandle.current().pid();

    /// Parents before their children. CPU time that moves from a child to its parent between the
    /// two readings is then missing for a moment, but never counted twice.
    private final List<ProcessStat> members = new ArrayList<>();

    private final BitSet memberPids = new BitSet();
    private final KernelText text = new KernelText();
    private BitSet seen = new BitSet();
    private final Set<Long> lastRoots = new HashSet<>();
    private double departedCpuSeconds;
    private double departedMajorFaults;
    private double cpuSeconds;
    private double majorFaults;
    private long ended;

    /// The processes of the last reading, including dead ones.
    List<ProcessStat> members() {
        return Collections.unmodifiableList(members);
    }

    /// Whether there are so many processes that it is too expensive to read them at each sample.
    boolean isCrowd() {
        return members.size() > FEW;
    }

    boolean isAlive() {
        return members.stream().anyMatch(member -> !member.dead());
    }

    /// Looks for new descendants. It reads the parent only of new processes, so a scan is cheap
    /// even on a host with many processes.
    ///
    /// @param roots the first processes; 0 or less for one that does not exist yet
    void scan(long... roots) {
        for (long root : roots) {
            if (root > 0 && !lastRoots.contains(root) && begins((int) root)) {
                lastRoots.add(root); // only once: another process may get its number later
                seen.clear(); // an earlier scan may have seen its children as strangers
            }
        }
        lastRoots.removeIf(root -> Arrays.stream(roots).noneMatch(given -> given == root));
        BitSet listed = new BitSet();
        List<Stranger> strangers = new ArrayList<>();
        for (String name : names(PROC)) {
            int pid = number(name);
            if (pid > 0) {
                listed.set(pid);
                if (pid != SELF
                        && !seen.get(pid)
                        && !follows(pid)
                        && strangers.size() < STRANGERS_MAX) {
                    addStranger(pid, strangers);
                }
            }
        }
        seen = listed;
        followDescendants(strangers);
    }

    private record Stranger(int pid, int parent) {}

    private void addStranger(int pid, List<Stranger> strangers) {
        if (text.loadOnce("/proc/" + pid + "/stat")) {
            text.skipPastLast(')');
            text.skipWord();
            strangers.add(new Stranger(pid, (int) text.number()));
        }
    }

    /// Repeats until nothing is added, because a child may be listed before its parent.
    private void followDescendants(List<Stranger> strangers) {
        boolean added = true;
        while (added && !strangers.isEmpty()) {
            added = strangers.removeIf(s -> follows(s.parent()) && follow(s.pid()));
        }
    }

    private boolean follows(int pid) {
        return pid > 0 && memberPids.get(pid);
    }

    private boolean begins(int root) {
        return follows(root) || follow(root);
    }

    private boolean follow(int pid) {
        if (members.size() == PROCESSES_MAX) {
            return false;
        }
        ProcessStat member = isCrowd() ? new ProcessStat(pid, text) : new ProcessStat(pid);
        if (!member.read()) {
            member.close();
            return false;
        }
        members.add(member);
        memberPids.set(pid);
        return true;
    }

    void read() {
        List<ProcessStat> gone = new ArrayList<>();
        members.removeIf(member -> !member.read() && gone.add(member));
        gone.forEach(member -> memberPids.clear(member.pid()));
        gone.forEach(this::keepUnreaped);
        ended += gone.size();
        double cpu = departedCpuSeconds;
        double faults = departedMajorFaults;
        for (ProcessStat member : members) {
            cpu += member.cpuSeconds();
            faults += member.majorFaults();
        }
        cpuSeconds = Math.max(cpuSeconds, cpu);
        majorFaults = Math.max(majorFaults, faults);
    }

    /// How many members have ended. A dead process that nobody has reaped counts, too.
    long ended() {
        return ended + members.stream().filter(ProcessStat::dead).count();
    }

    private void keepUnreaped(ProcessStat gone) {
        if (!follows(gone.parent())) {
            departedCpuSeconds += gone.cpuSeconds();
            departedMajorFaults += gone.majorFaults();
        }
        gone.close();
    }

    /// Never falls.
    double cpuSeconds() {
        return cpuSeconds;
    }

    /// Never falls.
    double majorFaults() {
        return majorFaults;
    }

    /// The names in a folder; empty if the folder is gone.
    static String[] names(File folder) {
        String[] names = folder.list();
        return names == null ? new String[0] : names;
    }

    /// The number that a name consists of; 0 if it is not a number.
    static int number(String name) {
        int value = 0;
        for (int i = 0; i < name.length(); i++) {
            int digit = name.charAt(i) - '0';
            if (digit < 0 || digit > 9 || value > 100_000_000) {
                return 0;
            }
            value = value * 10 + digit;
        }
        return value;
    }

    @Override
    public void close() {
        members.forEach(ProcessStat::close);
        members.clear();
        memberPids.clear();
    }
}
