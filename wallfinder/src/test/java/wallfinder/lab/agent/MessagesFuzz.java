package wallfinder.lab.agent;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.Limits;
import wallfinder.lab.peer.WatchSubject;
import wallfinder.lab.peer.WatchedLoad;
import wallfinder.lab.trial.Inspection;
import wallfinder.lab.trial.Life;
import wallfinder.lab.trial.SourceRange;
import wallfinder.load.EngineChoice;
import wallfinder.load.Probe;
import wallfinder.observation.Counter;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Peer;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;
import wallfinder.remote.Frames;
import wallfinder.sampling.JvmCensus;

/// Gives each side the other one's messages, damaged. It may read them or refuse them, and may fail
/// in no other way.
public final class MessagesFuzz {
    private static final int BYTES_MAX = 40;

    /// Most of the code that reads messages reads these.
    private static final int PARTS = 6;

    private final List<byte[]> whole = new ArrayList<>();

    public MessagesFuzz() throws IOException {
        List<Counter> counters =
                List.of(
                        new KernelCounter("TcpExt.ListenOverflows").at(End.SERVER, "netstat"),
                        new KernelCounter("Tcp.RetransSegs").at(End.SERVER, "snmp"));
        Peer peer =
                new Peer(
                        "web, process 7",
                        "there",
                        null,
                        1L << 60,
                        null,
                        List.of(0, 1),
                        new Timeline(new long[0], List.of()),
                        facts());
        List<Message> messages = new ArrayList<>(ofLoads(counters));
        ProfileMessageTest.messages().forEach(one -> messages.add(new Message.OfProfile(one)));
        messages.addAll(
                List.of(
                        new Message.Hello(Message.PROTOCOL, "0.1.0"),
                        new Message.Watch(new WatchSubject.OfPort(8080), WatchedLoad.OURS),
                        new Message.Watch(new WatchSubject.OfPid(1L << 40), WatchedLoad.OF_OTHERS),
                        new Message.Watch(new WatchSubject.OfCgroup("a/b"), WatchedLoad.OF_OTHERS),
                        new Message.Ping(3),
                        new Message.Stop(),
                        new Message.Serve(
                                "{\"services\":{}}",
                                "/srv",
                                Map.of("/runs/1/profile", "classes=7"),
                                Inspection.ofLife("web", true),
                                "10.0.0.2",
                                "::1"),
                        new Message.Served(1L << 33, null, true, "/tmp/logs"),
                        new Message.EndLife(),
                        lived(counters),
                        new Message.WatchServices(WatchedLoad.ONE_AT_A_TIME),
                        new Message.Close(),
                        new Message.Closed(
                                new Message.Failed(false, "what", "why", "todo"),
                                Map.of("web.log", "Started")),
                        new Message.Watching(peer, "web, port 80", counters, 1L << 50),
                        new Message.Sample(
                                100, false, new int[] {0, 1}, new double[] {Double.NaN, 1e300}),
                        new Message.Halved(),
                        new Message.Pong(3, 1L << 50, 1L << 51),
                        new Message.Watched(peer, counters, List.of(0, 1)),
                        new Message.Failed(true, "what", "why", "todo")));
        for (Message message : messages) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            message.send(out);
            whole.add(out.toByteArray());
        }
    }

    private static Message.Lived lived(List<Counter> counters) {
        Series series = new Series(counters.getFirst(), new double[] {1, 2});
        return new Message.Lived(
                new Life.Lived(
                        new Timeline(new long[] {0, 5}, List.of(series)),
                        new JvmCensus(7, 1e6, Double.NaN, 3, 4, 5)));
    }

    private static List<Message> ofLoads(List<Counter> counters) {
        Histogram times = Histograms.empty();
        times.recordValueWithCount(1_000_000, 99);
        times.recordValue(3_000_000_000L);
        LoadOutcome.Requests outcome =
                MergedLoadTest.outcome(times, Map.of("connect-refused", 3L, "timeout", 1L));
        List<LoadMessage> messages = new ArrayList<>();
        for (Arrival arrival : LoadSplitTest.arrivals()) {
            messages.addAll(
                    LoadSplit.of(
                            LoadSplitTest.http(arrival),
                            SourceRange.parse("10.0.0.1-10.0.0.3"),
                            List.of("a", "b"),
                            2,
                            EngineChoice.AUTO,
                            true));
        }
        messages.addAll(
                LoadSplit.of(
                        LoadSplitTest.held(),
                        SourceRange.parse("10.0.0.1-10.0.0.3"),
                        List.of("a", "b"),
                        2,
                        1L << 30));
        messages.add(new LoadMessage.Settled());
        messages.add(new LoadMessage.Doubted(Doubt.MEMORY_FLOOR.caveat(100, 1_000)));
        messages.add(
                new LoadMessage.Part(
                        true, 7, new LoadMessage.HeldOutcome(MergedHoldTest.held(times, 3))));
        messages.add(new LoadMessage.Begin(1L << 50));
        messages.add(new LoadMessage.Finish(500_000_000));
        messages.add(new LoadMessage.Alone((LoadMessage.Plan) messages.getFirst(), 1L << 30));
        messages.add(
                new LoadMessage.Ready("far", "id", "net:[4026531840]", List.of(0, 1), null, "x"));
        messages.add(new LoadMessage.Seeing(counters, 1L << 50));
        messages.add(new LoadMessage.Seen(counters, List.of(1)));
        for (int i = 0; i < PARTS; i++) {
            messages.add(new LoadMessage.Part(i > 0, 7, new LoadMessage.Outcome(outcome)));
        }
        messages.add(new LoadMessage.AnsweredAlone(new Probe(times, List.of(), 100, 0, 100, 0)));
        return messages.stream().<Message>map(Message.OfLoad::new).toList();
    }

    /// Reads what only the one who asked can read.
    private static void read(Message message) throws IOException {
        if (message instanceof Message.OfLoad(LoadMessage.Part part)
                && part.counted() instanceof LoadMessage.Fields fields) {
            fields.outcome(new Arrival.Rate(100));
        }
    }

    private static SandboxFacts facts() {
        return new SandboxFacts(
                "host",
                new TreeMap<>(),
                new TreeMap<>(),
                2,
                0,
                false,
                Limits.NONE,
                true,
                List.of(
                        new SandboxFacts.ServiceFacts(
                                "web", 7, List.of(80), List.of(), new TreeMap<>(), null, null)),
                List.of());
    }

    /// Reads a conversation of some messages.
    ///
    /// @return how many messages it understood
    public int read(SplittableRandom random) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (random.nextInt(4) > 0) {
            Frames.begin(out);
        }
        for (int i = random.nextInt(1, 5); i > 0; i--) {
            out.write(damaged(whole.get(random.nextInt(whole.size())), random));
        }
        ByteArrayInputStream in = new ByteArrayInputStream(out.toByteArray());
        int understood = 0;
        try {
            Frames.awaitBegin(in);
            for (byte[] frame = Frames.read(in); frame != null; frame = Frames.read(in)) {
                read(Message.read(frame));
                understood++;
            }
            return understood;
        } catch (IOException e) {
            return understood; // the stream was cut, or a message was refused
        }
    }

    private static byte[] damaged(byte[] message, SplittableRandom random) {
        byte[] bytes = message.clone();
        switch (random.nextInt(4)) {
            case 0 -> {
                return bytes;
            }
            case 1 -> {
                for (int i = random.nextInt(1, 4); i > 0; i--) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
                }
            }
            case 2 -> {
                // The first four bytes are the length: the content is what changes.
                int from = random.nextInt(4, bytes.length);
                int to = Math.min(bytes.length, from + random.nextInt(BYTES_MAX));
                for (int i = from; i < to; i++) {
                    bytes[i] = (byte) random.nextInt(256);
                }
            }
            default -> {
                return Arrays.copyOf(bytes, random.nextInt(bytes.length));
            }
        }
        return bytes;
    }
}
