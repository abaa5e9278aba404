package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import wallfinder.linux.HostUnits;
import wallfinder.observation.End;
import wallfinder.observation.WaitFigure;

/// What the threads of a pool in another process wait for. Python's functions need no stack of C,
/// so depth says little there.
@Timeout(60)
class ThreadWaitsTest {
    /// Six workers wait for work. Each line that the program reads gives work to one of them.
    private static final String POOL =
            """
            import ctypes, fcntl, mmap, os, queue, struct, sys, tempfile, threading, time
            lock = threading.Lock()
            lock.acquire()
            reading, writing = os.pipe()
            c = ctypes.CDLL(None)
            pages = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            def fault():  # nobody provides the page (userfaultfd(2))
                address = ctypes.addressof(ctypes.c_char.from_buffer(pages))
                descriptor = c.syscall(%d, os.O_CLOEXEC | 1)
                fcntl.ioctl(descriptor, 0xC018AA3F, struct.pack("QQQ", 0xAA, 0, 0))
                fcntl.ioctl(descriptor, 0xC020AA00, struct.pack("QQQQ", address, 4096, 1, 0))
                c.memset(ctypes.c_void_p(address), 1, 1)
            locked = tempfile.TemporaryFile()
            fcntl.flock(locked, fcntl.LOCK_EX)
            def lock_file():
                fcntl.flock(os.open("/proc/self/fd/%%d" %% locked.fileno(), os.O_RDWR), fcntl.LOCK_EX)
            work = {
                "lock": lock.acquire,
                "file": lock_file,
                "select": lambda: c.select(0, None, None, None, struct.pack("qq", 60, 0)),
                "page": fault,
                "sleep": lambda: time.sleep(60),
                "output": lambda: os.write(writing, bytes(1 << 20)),
                "read": lambda: os.read(os.pipe()[0], 1),
            }
            waiting = queue.Queue()
            def serve():
                while True:
                    waiting.get()()
            for _ in range(6):
                threading.Thread(target=serve, daemon=True).start()
            print("ready", flush=True)
            for line in sys.stdin:
                waiting.put(work[line.strip()])
            """
                    .formatted(HostUnits.X86 ? 323 : 282);

    private Process pool;
    private Writer give;
    private ProcessReader processes;
    private WaitsReader reader;

    @BeforeEach
    void start() throws IOException {
        pool = new ProcessBuilder("python3", "-c", POOL).redirectErrorStream(true).start();
        give = pool.outputWriter();
        BufferedReader out = new BufferedReader(new InputStreamReader(pool.getInputStream()));
        assertThat(out.readLine()).isEqualTo("ready");
        processes = new ProcessReader(End.SERVER, "x", pool::pid);
        reader = new WaitsReader(processes);
    }

    @AfterEach
    void end() throws Exception {
        processes.close();
        pool.destroyForcibly();
        assertThat(pool.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }

    private void lookUnloaded() {
        UnloadedLook.take(List.of(processes, reader), ThreadWaitsTest::pause);
    }

    private static void pause(Duration span) {
        LockSupport.parkNanos(span.toNanos());
    }

    private void give(String work, int times) throws IOException {
        give.write((work + "\n").repeat(times));
        give.flush();
    }

    private double count(WaitFigure figure) {
        Readings.inFull(processes);
        Map<String, Double> values = Readings.inFull(reader);
        return values.get(figure.of("x").text());
    }

    private void awaitCounts(double lock, double sleep, double output) {
        Readings.waitFor(
                "%.0f wait for a lock, %.0f sleep, %.0f write".formatted(lock, sleep, output),
                () ->
                        count(WaitFigure.LOCK) == lock
                                && count(WaitFigure.SLEEP) == sleep
                                && count(WaitFigure.OUTPUT) == output);
    }

    @Test
    void workers_without_work_count_nowhere() {
        lookUnloaded();
        awaitCounts(0, 0, 0);
    }

    @Test
    void each_worker_counts_for_what_it_waits_for() throws Exception {
        lookUnloaded();
        give("sleep", 1);
        awaitCounts(0, 1, 0);
        give("output", 1);
        awaitCounts(0, 1, 1);
        give("lock", 3);
        awaitCounts(3, 1, 1);
    }

    @Test
    void a_lock_of_a_file_and_a_sleep_in_select_count() throws Exception {
        lookUnloaded();
        give("file", 2);
        give("select", 1);
        awaitCounts(2, 1, 0);
    }

    @Test
    void a_worker_that_waits_for_a_peer_counts_nowhere() throws Exception {
        lookUnloaded();
        give("read", 2);
        give("sleep", 1);
        awaitCounts(0, 1, 0);
    }

    @Test
    void a_worker_that_waits_for_a_page_of_its_memory_counts() throws Exception {
        lookUnloaded();
        assertThat(count(WaitFigure.PAGE)).isZero();
        give("page", 1);
        Readings.waitFor("one waits for a page", () -> count(WaitFigure.PAGE) == 1);
        assertThat(count(WaitFigure.DISK)).isZero();
    }

    /// A pipe is known by its descriptor. Without the look nobody knows what a futex is for.
    @Test
    void without_a_look_before_the_load_no_futex_counts() throws Exception {
        give("lock", 3);
        give("output", 1);
        awaitCounts(0, 0, 1);
    }
}
