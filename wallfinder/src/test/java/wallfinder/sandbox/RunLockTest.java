package wallfinder.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.Doubt;

class RunLockTest {
    private static final Duration BOUND = Duration.ofSeconds(20);

    @TempDir Path temp;

    private Path folder() {
        return temp.resolve("wallfinder");
    }

    @Test
    void a_live_run_is_not_swept_and_its_end_removes_file_and_folder() {
        try (RunLock run = RunLock.hold(folder(), "one")) {
            assertThat(Leftovers.sweep(folder()).runs()).isEmpty();
            assertThat(Leftovers.sweep(folder()).runs()).isEmpty();
            try (RunLock other = RunLock.hold(folder(), "two")) {
                assertThat(folder().resolve("two.run")).exists();
            }
            assertThat(folder().resolve("one.run")).exists();
            assertThat(folder().resolve("two.run")).doesNotExist();
        }
        assertThat(folder()).doesNotExist();
    }

    @Test
    void the_file_of_a_dead_run_is_swept() throws Exception {
        LockFolder.make(folder());
        Files.writeString(folder().resolve("dead.run"), "/no/such/wallfinder-dead\n/etc\n");
        assertThat(Leftovers.sweep(folder()).runs()).containsExactly("dead");
        assertThat(folder()).doesNotExist();
        assertThat(Path.of("/etc")).exists();
    }

    @Test
    void the_next_run_removes_a_cgroup_that_its_run_could_not_remove() throws Exception {
        Path cgroup = temp.resolve("wallfinder-one");
        try (RunLock run = RunLock.hold(folder(), "one")) {
            run.note(cgroup);
            Files.createDirectory(cgroup);
        }
        assertThat(folder().resolve("one.run")).exists();
        try (RunLock next = RunLock.hold(folder(), "two")) {
            assertThat(next.caveats()).isEmpty();
            assertThat(cgroup).doesNotExist();
            assertThat(folder().resolve("one.run")).doesNotExist();
        }
        assertThat(folder()).doesNotExist();
    }

    @Test
    void a_run_beside_leftovers_is_doubted() throws Exception {
        try (RunLock run = Sandboxes.runBesideLeftovers(folder())) {
            assertThat(run.caveats()).hasSize(1).allMatch(one -> one.is(Doubt.LEFTOVERS));
        }
    }

    @Test
    void a_lock_folder_that_others_may_write_to_is_refused() throws Exception {
        Files.createDirectory(folder());
        Files.setPosixFilePermissions(folder(), PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> RunLock.hold(folder(), "one"))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("only this user");
    }

    @Test
    void an_invalid_run_id_is_refused() {
        assertThatThrownBy(() -> RunLock.hold(folder(), "../x"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_second_measurement_reports_that_it_waits_and_then_starts() throws Exception {
        AtomicInteger said = new AtomicInteger();
        CountDownLatch waiting = new CountDownLatch(1);
        CompletableFuture<Void> second;
        try (MeasuringLock first = MeasuringLock.await(folder(), BOUND, said::incrementAndGet)) {
            assertThat(said).hasValue(0);
            second =
                    CompletableFuture.runAsync(() -> {
                        try (MeasuringLock lock =
                                MeasuringLock.await(
                                        folder(),
                                        BOUND,
                                        () -> {
                                            said.incrementAndGet();
                                            waiting.countDown();
                                        })) {
                            said.addAndGet(10);
                        }
                    });
            assertThat(waiting.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(second).isNotDone();
            assertThat(said).hasValue(1);
        }
        second.get(20, TimeUnit.SECONDS);
        assertThat(said).hasValue(11);
        assertThat(folder()).doesNotExist();
    }

    @Test
    void a_measurement_that_waits_too_long_fails_with_the_reason() {
        try (MeasuringLock first = MeasuringLock.await(folder(), BOUND, () -> {})) {
            assertThatThrownBy(() -> MeasuringLock.await(folder(), Duration.ofMillis(1), () -> {}))
                    .isInstanceOf(EnvironmentException.class)
                    .hasMessageContaining("another run");
        }
    }

    @Test
    void the_lock_folder_depends_on_the_user_outside_of_the_user_namespace() {
        assertThat(LockFolder.of(0, null, temp, temp)).isEqualTo(temp.resolve("wallfinder"));
        assertThat(LockFolder.of(1000, temp.toString(), Path.of("/run"), Path.of("/tmp")))
                .isEqualTo(temp.resolve("wallfinder"));
        assertThat(LockFolder.of(1000, null, Path.of("/run"), Path.of("/tmp")))
                .isEqualTo(Path.of("/tmp/wallfinder-1000"));
        assertThat(UserNamespace.hostUid("         0       1000          1", 0)).isEqualTo(1000);
        assertThat(UserNamespace.separate("         0       1000          1")).isTrue();
        assertThat(UserNamespace.separate("         0          0 4294967295")).isFalse();
        assertThat(UserNamespace.ofOneUser("         0       1000          1")).isTrue();
        assertThat(UserNamespace.ofOneUser("         0          0 4294967295")).isFalse();
        assertThat(UserNamespace.ofOneUser("0 1000 1\n1 100000 65536")).isFalse();
    }
}
