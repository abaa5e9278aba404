package wallfinder.lab.agent;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Limits;
import wallfinder.lab.peer.PeerJoin;
import wallfinder.lab.session.HostFacts;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadPart;
import wallfinder.observation.Observation;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Unloaded;

/// What was seen of several generators after their load.
final class SeenGenerators {
    /// @param host its name, with a number if several agents ran there
    private record One(
            RemoteGenerator agent,
            LoadMessage.Ready ready,
            String host,
            ClockLine clocks,
            LoadOutcome.@Nullable Driven counted) {}

    private final List<One> all;

    private SeenGenerators(List<One> all) {
        this.all = all;
    }

    static SeenGenerators of(Team team, List<LoadMessage.Ready> readies) {
        Map<String, Long> counts =
                readies.stream()
                        .collect(
                                Collectors.groupingBy(
                                        LoadMessage.Ready::host, Collectors.counting()));
        Map<String, Integer> numbers = new HashMap<>();
        List<One> seen = new ArrayList<>();
        for (int i = 0; i < team.size(); i++) {
            RemoteGenerator agent = team.agents().get(i);
            String name = readies.get(i).host();
            int number = numbers.merge(name, 1, Integer::sum);
            seen.add(
                    new One(
                            agent,
                            readies.get(i),
                            counts.getOrDefault(name, 1L) > 1 ? name + " #" + number : name,
                            agent.clocks(),
                            agent.counted()));
        }
        return new SeenGenerators(seen);
    }

    /// The doubts of what this host knows of them, and their own.
    ///
    /// @param start of the load
    /// @param end when all results should have been here
    List<Caveat> caveats(long start, long end) {
        List<Caveat> caveats = new ArrayList<>();
        for (One one : all) {
            one.agent().caveats().forEach(caveat -> caveats.add(caveat.on(one.host())));
            String why = one.agent().lostBecause();
            if (why != null) {
                long last = Math.min(end, one.agent().heardNanos());
                caveats.add(
                        Doubt.GENERATOR_LOST.caveat(
                                one.host(), Math.max(0, last - start) / 1e9, why));
            }
        }
        return caveats;
    }

    /// What they counted; a generator that was lost early counted nothing.
    ///
    /// @param caveats say why
    /// @throws EnvironmentException if none counted anything
    <T extends LoadOutcome.Driven> List<T> counted(Class<T> kind, List<Caveat> caveats) {
        List<T> counted =
                all.stream().map(One::counted).filter(kind::isInstance).map(kind::cast).toList();
        if (counted.isEmpty()) {
            throw new EnvironmentException(
                    "no generator counted anything",
                    caveats.isEmpty() ? "all ended at once" : caveats.getLast().advice(),
                    "see whether those hosts have memory and CPU time left, and try again");
        }
        return counted;
    }

    /// Who drove the load.
    ///
    /// @param perSecond the rate that each was asked for, or `NaN`
    /// @param start of the load
    List<LoadPart> parts(double perSecond, long start) {
        return all.stream()
                .filter(one -> one.counted() != null)
                .map(one -> part(one, Objects.requireNonNull(one.counted()), perSecond, start))
                .toList();
    }

    private static LoadPart part(
            One one, LoadOutcome.Driven counted, double perSecond, long start) {
        return new LoadPart(
                one.host(),
                counted.connections(),
                perSecond,
                counted.answered(),
                one.clocks().oursNanos(one.agent().beganNanos()) - start,
                Math.round(one.clocks().boundNanos()),
                counted.generator(),
                counted.loop() instanceof LoadOutcome.Loop.Open open
                        ? open.lateNanos()
                        : Histograms.empty());
    }

    /// The held connections that the kernels of the generators' hosts count. Those of one network
    /// are counted by each agent there, and some agents count when others have closed theirs.
    ///
    /// @return a negative number if no kernel was asked
    long sockets() {
        Map<String, Long> counts = new HashMap<>();
        for (One one : all) {
            if (one.counted() instanceof LoadOutcome.Held held) {
                held.hold()
                        .sockets()
                        .forEach(count ->
                                counts.merge(network(one), count.established(), Math::max));
            }
        }
        return counts.isEmpty() ? -1 : counts.values().stream().mapToLong(Long::longValue).sum();
    }

    private static String network(One one) {
        return one.ready().bootId() + one.ready().network();
    }

    /// This end of the load, as one host would have seen it.
    ///
    /// @param load what they counted together
    /// @param unloaded what the server did without load; null if that is unknown
    /// @param port that it went to
    PeerJoin.Client client(LoadOutcome load, @Nullable Unloaded unloaded, int port) {
        List<MergedTimeline.Part> timelines =
                all.stream()
                        .filter(one -> one.counted() != null)
                        .map(one ->
                                new MergedTimeline.Part(
                                        network(one), one.agent().timeline(one.clocks())))
                        .toList();
        long zero = MergedTimeline.zeroNanos(timelines);
        return new PeerJoin.Client(
                new Observation(load, MergedTimeline.of(timelines), facts(), unloaded),
                zero,
                HostFacts.epochNanos(zero),
                HostFacts.clockErrorNanos(),
                HostFacts.bootId(),
                all.stream()
                        .map(one ->
                                new PeerJoin.GeneratorCpus(
                                        one.ready().bootId(), one.ready().cpus()))
                        .toList(),
                port);
    }

    /// Nobody watches the server, unless a watch is joined.
    private SandboxFacts facts() {
        Map<String, Integer> cpus = new HashMap<>();
        all.forEach(one -> cpus.put(one.ready().bootId(), one.ready().cpus().size()));
        int sum = cpus.values().stream().mapToInt(Integer::intValue).sum();
        return new SandboxFacts(
                "host",
                new TreeMap<>(),
                new TreeMap<>(),
                sum,
                sum,
                false,
                Limits.NONE,
                false,
                List.of(),
                List.of());
    }
}
