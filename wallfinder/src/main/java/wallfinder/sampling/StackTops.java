package wallfinder.sampling;

import java.util.Map;
import java.util.TreeMap;

/// Where the stacks of a process's threads begin, from `/proc/PID/maps`: a stack grows down from
/// the end of its mapping.
final class StackTops {
    private static final byte[] DASH = {'-'};

    private final TreeMap<Long, Long> endOfStart = new TreeMap<>();

    StackTops(int pid, KernelText text) {
        if (!text.loadOnce("/proc/" + pid + "/maps")) {
            return;
        }
        for (; !text.atEnd(); text.nextLine()) {
            double start = text.hex();
            if (text.skip(DASH)) {
                endOfStart.put((long) start, (long) text.hex());
            }
        }
    }

    /// How many bytes of its stack a thread uses, or -1 if no mapping has this address.
    long depth(long stackPointer) {
        Map.Entry<Long, Long> mapping = endOfStart.floorEntry(stackPointer);
        return mapping == null || mapping.getValue() <= stackPointer
                ? -1
                : mapping.getValue() - stackPointer;
    }
}
