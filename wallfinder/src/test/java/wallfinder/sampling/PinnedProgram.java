package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.BitSet;
import java.util.stream.Collectors;

/// A program that pins its threads to CPUs and then waits.
public final class PinnedProgram {
    /// Its first argument is the list of CPUs. Its threads end with its input.
    private static final String PROGRAM =
            """
            import os, socket, sys, threading, time
            cpus, role = [int(cpu) for cpu in sys.argv[1].split(",")], sys.argv[2]
            def pin(cpu, pinned):
                os.sched_setaffinity(0, {cpu})
                pinned.wait()
                ended.wait()
            ended = threading.Event()
            os.sched_setaffinity(0, cpus)
            if role in ("LISTENS", "SUPERVISES", "PINS_EACH_THREAD"):
                listener = socket.create_server(("127.0.0.1", 0))
            if role == "CONNECTS":
                connection = socket.socket()
            if role == "COMPUTES":
                while time.process_time() < 0.6:
                    pass
            if role == "PINS_EACH_THREAD":
                pinned = threading.Barrier(len(cpus))
                for cpu in cpus[1:]:
                    threading.Thread(target=pin, args=(cpu, pinned), daemon=True).start()
                os.sched_setaffinity(0, cpus[:1])
                pinned.wait()
            if role != "SUPERVISES" or os.fork() == 0:
                if role == "SUPERVISES":
                    os.sched_setaffinity(0, cpus[:1])
                print("pinned", flush=True)
            sys.stdin.readline()
            """;

    public enum Role {
        IDLES,
        LISTENS,
        CONNECTS,
        COMPUTES,

        /// Its child shares its listening socket and runs on the first CPU only.
        SUPERVISES,

        /// It listens. Each of its threads runs on another CPU, the first thread on the first CPU.
        PINS_EACH_THREAD
    }

    private PinnedProgram() {}

    public static Process start(Role role, BitSet cpus) throws IOException {
        String list = cpus.stream().mapToObj(Integer::toString).collect(Collectors.joining(","));
        return new ProcessBuilder("python3", "-c", PROGRAM, list, role.name()).start();
    }

    /// Waits until the program has its CPUs and has done its work.
    public static void awaitPinned(Process program) throws IOException {
        assertThat(program.inputReader().readLine()).isEqualTo("pinned");
    }
}
