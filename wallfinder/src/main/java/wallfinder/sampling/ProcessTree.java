package wallfinder.sampling;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Processes and their descendants.
///
/// The time of a child passes to its parent when the parent asks for its end, so the sum goes on.
/// What a descendant used that nobody asked for is kept here.
final class ProcessTree implements AutoCloseable {
    /// Processes beyond this many are not followed.
    static final int PROCESSES_MAX = 256;

    /// New processes of the host beyond this many a second are not looked at.
    private static final int STRANGERS_MAX = 8_192;

    private static final File PROC = new File("/proc");

    /// Parents before their children, so that time which passes between them while they are read is
    /// missed for a moment rather than counted twice.
    private final List<ProcessStat> members = new ArrayList<>();

    private final KernelText text = new KernelText();
    private BitSet seen = new BitSet();
    private final Set<Long> lastRoots = new HashSet<>();
    private double departedCpuSeconds;
    private double departedMajorFaults;
    private double cpuSeconds;
    private double majorFaults;

    /// Those that were there when they were last read, ended ones included.
    List<ProcessStat> members() {
        return Collections.unmodifiableList(members);
    }

    /// Whether any of them runs.
    boolean lives() {
        for (ProcessStat member : members) {
            if (!member.dead()) {
                return true;
            }
        }
        return false;
    }

    /// Looks for new descendants. Only processes that were not there the last time are asked for
    /// their parent, so it costs little on a host with many.
    ///
    /// @param roots the processes it begins with; 0 or less while there is none
    void scan(long... roots) {
        for (long root : roots) {
            if (root > 0 && !lastRoots.contains(root) && begins((int) root)) {
                lastRoots.add(root); // not twice: its number may be given to another process
                seen.clear(); // its children may have been seen as strangers before
            }
        }
        lastRoots.removeIf(root -> Arrays.stream(roots).noneMatch(given -> given == root));
        BitSet listed = new BitSet();
        List<Stranger> strangers = new ArrayList<>();
        for (String name : names(PROC)) {
            int pid = number(name);
            if (pid > 0) {
                listed.set(pid);
                if (!seen.get(pid) && !follows(pid) && strangers.size() < STRANGERS_MAX) {
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

    /// A child may be listed before its parent, so it goes on until nobody is added.
    private void followDescendants(List<Stranger> strangers) {
        boolean added = true;
        while (added && !strangers.isEmpty()) {
            added = strangers.removeIf(s -> follows(s.parent()) && follow(s.pid()));
        }
    }

    private boolean follows(int pid) {
        for (ProcessStat member : members) {
            if (member.pid() == pid) {
                return true;
            }
        }
        return false;
    }

    private boolean begins(int root) {
        return follows(root) || follow(root);
    }

    private boolean follow(int pid) {
        if (members.size() == PROCESSES_MAX) {
            return false;
        }
        ProcessStat member = new ProcessStat(pid);
        if (!member.read()) {
            member.close();
            return false;
        }
        members.add(member);
        return true;
    }

    /// Reads all members anew and forgets those that are gone.
    void read() {
        List<ProcessStat> gone = new ArrayList<>();
        for (ProcessStat member : members) {
            if (!member.read()) {
                gone.add(member);
            }
        }
        members.removeAll(gone);
        gone.forEach(this::keepWhatNobodyAskedFor);
        double cpu = departedCpuSeconds;
        double faults = departedMajorFaults;
        for (ProcessStat member : members) {
            cpu += member.cpuSeconds();
            faults += member.majorFaults();
        }
        cpuSeconds = Math.max(cpuSeconds, cpu);
        majorFaults = Math.max(majorFaults, faults);
    }

    private void keepWhatNobodyAskedFor(ProcessStat gone) {
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

    /// The names in a folder, none if it is gone.
    static String[] names(File folder) {
        String[] names = folder.list();
        return names == null ? new String[0] : names;
    }

    /// The number that a name is, 0 if it is none.
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
    }
}
