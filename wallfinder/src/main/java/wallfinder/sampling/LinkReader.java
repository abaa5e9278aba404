package wallfinder.sampling;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.KernelFile;
import wallfinder.linux.Links;
import wallfinder.linux.SyscallException;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.LinkFigure;
import wallfinder.observation.Reader;
import wallfinder.observation.ShaperFigure;

/// The bytes over the network links of an end, their speed, and the queues that limit their rate:
/// the figures of [LinkFigure] and [ShaperFigure]. It leaves out the loopback, which has no limit.
///
/// It reads as often as [PortsReader], because the kernel walks over the queues of all links.
final class LinkReader implements Reader, Paced {
    /// A host with many containers has hundreds of links. Those with a limit come first.
    static final int LINKS_MAX = 8;

    private static final int SHAPERS_MAX = 8;
    private static final int LINES_MAX = 8_192;

    private static final String LOOPBACK = "lo";
    private static final String DEV = "/proc/net/dev";
    private static final String QUEUES = "rtnetlink (tc -s qdisc, tc -s class)";
    private static final Path DEVICES = Path.of("/sys/class/net");
    private static final double BYTES_PER_MEGABIT = 125_000;

    /// In `/proc/net/dev`, eight columns about received packets come before those about sent ones.
    private static final int RECEIVED_COLUMNS = 8;

    private static final int FIGURES_OF_LINK = 3;
    private static final int FIGURES_OF_QUEUE = 5;

    private final SampledFile dev;
    private final @Nullable Links links;
    private final List<Watched> watched;
    private final List<Queue> queues;
    private final List<Counter> counters = new ArrayList<>();
    private final double[] latest;
    private final Pace pace;

    /// @param procNet the `net` folder of a thread or process in the namespace
    LinkReader(Path procNet, End end) {
        this(procNet, DEVICES, System::nanoTime, end);
    }

    LinkReader(Path procNet, Path devices, LongSupplier clock, End end) {
        dev = new SampledFile(procNet.resolve("dev"));
        pace = Pace.oftenIfCheap(clock);
        links = open(procNet);
        List<Links.Link> all = links == null ? List.of() : links.links();
        List<Links.Shaper> shapers = links == null ? List.of() : links.shapers();
        watched =
                all.stream()
                        .filter(link -> !link.name().equals(LOOPBACK))
                        .map(link -> watched(link, devices, shapers))
                        .sorted(Comparator.comparing(link -> !link.limited()))
                        .limit(LINKS_MAX)
                        .toList();
        queues =
                shapers.stream()
                        .flatMap(shaper ->
                                all.stream()
                                        .filter(link -> link.index() == shaper.link())
                                        .map(link -> new Queue(link, shaper.name())))
                        .limit(SHAPERS_MAX)
                        .toList();
        watched.forEach(link -> addCounters(link, end));
        queues.forEach(queue -> addCounters(queue, end));
        latest = new double[counters.size()];
    }

    /// @param speed bytes a second, or `NaN`
    /// @param key how its line in `/proc/net/dev` begins
    @SuppressWarnings("ArrayRecordComponent") // private and never compared
    private record Watched(String name, byte[] key, double speed, boolean limited) {}

    private record Queue(Links.Link link, String kind) {
        boolean is(Links.Shaper shaper) {
            return shaper.link() == link.index() && shaper.name().equals(kind);
        }
    }

    /// Without the privilege to enter another namespace, there is nothing to read.
    private static @Nullable Links open(Path procNet) {
        try {
            // The kernel follows a symbolic link such as /proc/net before it goes up.
            return Links.open(procNet.resolve("../ns/net"));
        } catch (SyscallException e) {
            return null;
        }
    }

    private static Watched watched(Links.Link link, Path devices, List<Links.Shaper> shapers) {
        double speed = speed(link, devices.resolve(link.name()));
        boolean shaped = shapers.stream().anyMatch(shaper -> shaper.link() == link.index());
        return new Watched(
                link.name(),
                KernelText.key(link.name() + ":"),
                speed,
                shaped || !Double.isNaN(speed));
    }

    /// `/sys` lists the links of the namespace in which it was mounted, so a link of another one
    /// may have the same name. A virtual link reports a speed that nothing enforces (veth: 10
    /// Gbit/s).
    private static double speed(Links.Link link, Path device) {
        try {
            boolean same =
                    Files.exists(device.resolve("device"))
                            && KernelFile.read(device.resolve("ifindex"))
                                    .equals(Integer.toString(link.index()))
                            && KernelFile.read(device.resolve("address")).equals(link.address());
            double megabits = same ? SampledFile.numberIn(device.resolve("speed")) : Double.NaN;
            return megabits > 0 ? megabits * BYTES_PER_MEGABIT : Double.NaN;
        } catch (IOException e) {
            return Double.NaN;
        }
    }

    private void addCounters(Watched link, End end) {
        counters.add(LinkFigure.RECEIVED.of(link.name).at(end, DEV));
        counters.add(LinkFigure.SENT.of(link.name).at(end, DEV));
        counters.add(
                LinkFigure.SPEED
                        .of(link.name)
                        .at(end, DEVICES.resolve(link.name).resolve("speed").toString()));
    }

    private void addCounters(Queue queue, End end) {
        String subject = queue.link.name() + " " + queue.kind;
        counters.add(ShaperFigure.SENT.of(subject).at(end, QUEUES));
        counters.add(ShaperFigure.RATE.of(subject).at(end, QUEUES));
        counters.add(ShaperFigure.BACKLOG.of(subject).at(end, QUEUES));
        counters.add(ShaperFigure.DROPS.of(subject).at(end, QUEUES));
        counters.add(ShaperFigure.OVERLIMITS.of(subject).at(end, QUEUES));
    }

    @Override
    public List<Counter> counters() {
        return List.copyOf(counters);
    }

    @Override
    public void readInFullNext() {
        pace.force();
    }

    @Override
    public void read(double[] values, int from) {
        if (latest.length > 0) {
            pace.run(this::readNow);
            System.arraycopy(latest, 0, values, from, latest.length);
        }
    }

    private void readNow() {
        Arrays.fill(latest, Double.NaN);
        if (dev.read()) {
            readLinks(dev.text());
        }
        if (links != null && !queues.isEmpty()) {
            links.shapers().forEach(this::store);
        }
    }

    private void readLinks(KernelText text) {
        for (int line = 0; line < LINES_MAX && !text.atEnd(); line++) {
            boolean _ = text.lineEnds(); // also skips the blanks before the name
            for (int i = 0; i < watched.size(); i++) {
                Watched link = watched.get(i);
                if (text.skip(link.key)) {
                    int at = i * FIGURES_OF_LINK;
                    latest[at] = text.number();
                    text.skipWords(RECEIVED_COLUMNS - 1);
                    latest[at + 1] = text.number();
                    latest[at + 2] = link.speed;
                }
            }
            text.nextLine();
        }
    }

    private void store(Links.Shaper shaper) {
        for (int i = 0; i < queues.size(); i++) {
            if (queues.get(i).is(shaper)) {
                int at = watched.size() * FIGURES_OF_LINK + i * FIGURES_OF_QUEUE;
                latest[at] = shaper.sentBytes();
                latest[at + 1] = shaper.rateBytes();
                latest[at + 2] = shaper.backlogBytes();
                latest[at + 3] = shaper.drops();
                latest[at + 4] = shaper.overlimits();
            }
        }
    }

    @Override
    public void close() {
        dev.close();
        if (links != null) {
            links.close();
        }
    }
}
