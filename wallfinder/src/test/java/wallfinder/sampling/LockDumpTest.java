package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LockDumpTest {
    private static String thread(String name, String... lines) {
        return "\"%s\" #24 [7369] prio=5 os_prio=0 cpu=8.82ms elapsed=0.67s\n   ".formatted(name)
                + "java.lang.Thread.State: BLOCKED\n\t"
                + String.join("\n\t", lines)
                + "\n\n";
    }

    private static String blocked(String name, String lock) {
        return thread(
                name,
                "at Store.read(Store.java:20)",
                "- waiting to lock <%s> (a java.lang.Object)".formatted(lock),
                "at Handler.run(Handler.java:7)");
    }

    private static String parked(String name, String type) {
        return thread(
                name,
                "at jdk.internal.misc.Unsafe.park(java.base@25/Native Method)",
                "- parking to wait for  <0x7f> (a %s)".formatted(type),
                "at java.util.concurrent.locks.LockSupport.park(java.base@25/LockSupport.java:1)",
                "at app//Cache.get(Cache.java:5)");
    }

    @Test
    void the_lock_with_most_waiters_is_found_with_its_owner() {
        String dump =
                blocked("one", "0x1")
                        + blocked("two", "0x2")
                        + blocked("three", "0x2")
                        + thread(
                                "owner",
                                "at java.lang.Thread.sleep(java.base@25/Thread.java:1)",
                                "at Store.load(Store.java:30)",
                                "- locked <0x2> (a java.lang.Object)");
        assertThat(LockDump.of(dump).orElseThrow().describe())
                .isEqualTo(
                        "java.lang.Object, wanted in Store.read(Store.java:20) called from Handler.run(Handler.java:7), held by owner in Store.load(Store.java:30)");
        assertThat(LockDump.of(dump).orElseThrow().waiters()).isEqualTo(2);
    }

    /// A dump shows the owner of a monitor, but not the one of a `ReentrantLock`.
    @Test
    void threads_that_park_at_a_lock_count() {
        String type = "java.util.concurrent.locks.ReentrantLock$NonfairSync";
        assertThat(LockDump.of(parked("one", type)).orElseThrow().describe())
                .isEqualTo(type + ", wanted in Cache.get(Cache.java:5)");
    }

    @Test
    void threads_that_wait_for_work_or_for_a_permit_do_not_count() {
        String locks = "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject";
        assertThat(LockDump.of(parked("one", locks))).isEmpty();
        assertThat(LockDump.of(parked("two", "java.util.concurrent.Semaphore$NonfairSync")))
                .isEmpty();
        assertThat(LockDump.of("")).isEmpty();
    }

    @Test
    void a_name_with_control_characters_is_printed_without_them() {
        String dump = blocked("one", "0x1") + thread("a\u001b[2Jb", "- locked <0x1> (a X)");
        assertThat(LockDump.of(dump).orElseThrow().owner()).isEqualTo("a?[2Jb");
    }
}
