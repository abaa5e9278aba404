package wallfinder.load;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/// How often and how long this JVM has collected garbage so far.
record GarbageCollections(long count, long nanos) {
    static final GarbageCollections NONE = new GarbageCollections(0, 0);
    private static final long NANOS_PER_MILLI = 1_000_000;

    static GarbageCollections read() {
        long count = 0;
        long millis = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            count += Math.max(0, bean.getCollectionCount());
            millis += Math.max(0, bean.getCollectionTime());
        }
        return new GarbageCollections(count, millis * NANOS_PER_MILLI);
    }

    GarbageCollections since(GarbageCollections earlier) {
        return new GarbageCollections(count - earlier.count, nanos - earlier.nanos);
    }
}
