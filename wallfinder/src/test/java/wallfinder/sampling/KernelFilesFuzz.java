package wallfinder.sampling;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import wallfinder.linux.CgroupDirs;
import wallfinder.observation.End;
import wallfinder.observation.Reader;

/// Feeds the readers of the kernel's files with damaged ones: a container engine may put a file of
/// its own there. Each reader reads twice, and the files change in between.
final class KernelFilesFuzz {
    /// The names of version 2, and those of version 1 with other names.
    private static final Map<String, String> OF_CGROUP =
            Map.ofEntries(
                    Map.entry("cpu.stat", "usage_usec 5\nnr_periods 42\nthrottled_usec 25\n"),
                    Map.entry("cpu.max", "50000 100000\n"),
                    Map.entry("cpu.cfs_quota_us", "50000\n"),
                    Map.entry("cpu.cfs_period_us", "100000\n"),
                    Map.entry("memory.max", "209715200\n"),
                    Map.entry("memory.limit_in_bytes", "209715200\n"),
                    Map.entry("memory.current", "104857600\n"),
                    Map.entry("memory.usage_in_bytes", "104857600\n"),
                    Map.entry("memory.failcnt", "17\n"),
                    Map.entry("memory.oom_control", "oom_kill_disable 0\noom_kill 1\n"),
                    Map.entry("memory.events", "low 0\nhigh 0\nmax 17\noom 1\noom_kill 1\n"),
                    Map.entry("memory.stat", "anon 94371840\nfile 8388608\npgmajfault 321\n"),
                    Map.entry("pids.max", "30\n"),
                    Map.entry("pids.current", "28\n"),
                    Map.entry("pids.events", "max 9\n"));

    /// A way to open a reader, and the files that it reads.
    ///
    /// @param whole the texts of the files, undamaged
    private record Fed(Map<Path, String> whole, Supplier<Reader> opened) {
        void damage(SplittableRandom random) throws IOException {
            for (Map.Entry<Path, String> file : whole.entrySet()) {
                String text = file.getValue();
                boolean same = random.nextInt(3) == 0;
                Files.writeString(file.getKey(), same ? text : ReadersFuzz.damaged(text, random));
            }
        }
    }

    private final List<Fed> all = new ArrayList<>();

    /// @param folder for the damaged files
    KernelFilesFuzz(Path folder) throws IOException {
        Path proc = folder.resolve("proc");
        Path net = Files.createDirectories(proc.resolve("net"));
        BitSet cpus = new BitSet();
        cpus.set(0, 2);
        add(proc, List.of("stat"), () -> new CpusReader(proc.resolve("stat"), End.SERVER, cpus));
        add(proc, List.of("net/netstat", "net/snmp"), () -> new NetstatReader(net, End.SERVER));
        add(proc, List.of("net/sockstat"), () -> new SockstatReader(net, End.SERVER));
        Path softnet = net.resolve("softnet_stat");
        add(
                proc,
                List.of("net/softnet_stat"),
                () -> new SoftnetReader(softnet, softnet, End.SERVER, cpus));
        for (int version = 1; version <= 2; version++) {
            Path cgroup = Files.createDirectories(folder.resolve("cgroup" + version));
            CgroupDirs dirs = new CgroupDirs(version, cgroup, cgroup, cgroup);
            Map<Path, String> whole = new LinkedHashMap<>();
            OF_CGROUP.forEach((name, text) -> whole.put(cgroup.resolve(name), text));
            all.add(new Fed(whole, () -> CgroupReader.ofOthers(End.SERVER, "x", dirs)));
        }
    }

    private void add(Path proc, List<String> names, Supplier<Reader> opened) throws IOException {
        Map<Path, String> whole = new LinkedHashMap<>();
        for (String name : names) {
            whole.put(proc.resolve(name), Files.readString(Path.of("/proc").resolve(name)));
        }
        all.add(new Fed(whole, opened));
    }

    /// Gives damaged files to one of the readers.
    void read(SplittableRandom random) throws IOException {
        Fed fed = all.get(random.nextInt(all.size()));
        fed.damage(random);
        Reader reader = fed.opened.get();
        readOnce(reader);
        fed.damage(random);
        readOnce(reader);
        reader.close();
    }

    private static void readOnce(Reader reader) {
        if (reader instanceof Paced paced) {
            paced.readInFullNext();
        }
        reader.read(new double[reader.counters().size()], 0);
    }
}
