package wallfinder.lab.peer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.LoadSpec;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.Observation;
import wallfinder.observation.Peer;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// Joins what a load saw at its end with what a watch saw of the server on another host. The clocks
/// of the two hosts map each value of the server to an instant of the load.
public final class PeerJoin {
    /// A watch that covers a smaller share of the load is not joined.
    private static final double COVERED_MIN = 0.5;

    /// A smaller share is a doubt. The first and last sample alone can miss the rest.
    private static final double COVERED_WHOLLY = 0.95;

    /// If the clocks may differ by more than this, effects may appear before their causes.
    private static final double CLOCK_SECONDS_MAX = 1.0;

    /// A watch takes ten samples a second. On a busy host a sample may be this late.
    private static final long GAP_NANOS_MAX = 500_000_000L;

    /// The last readings of a watch that ends with the load are this late, on a slow path or a busy
    /// host.
    private static final long LAST_NANOS_MAX = 250_000_000L;

    private PeerJoin() {}

    /// @param startNanos the first instant of the timeline by [System#nanoTime] of the load's host
    /// @param startEpochNanos the same since 1970 by the clock of that host
    /// @param clockErrorNanos the error bound of that clock, or null if unknown
    /// @param bootId identifies the kernel of that host; null if unknown
    /// @param generators the CPUs of each one
    /// @param port the port that the load went to, or that of the service behind a proxy; 0 if
    ///   unknown
    public record Client(
            Observation observation,
            long startNanos,
            long startEpochNanos,
            @Nullable Long clockErrorNanos,
            @Nullable String bootId,
            List<GeneratorCpus> generators,
            int port) {
        /// The time from the first instant of the timeline to an instant of the peer's host.
        long sinceStartNanos(ServerSide.Seen seen, long peerNanos) {
            long start =
                    switch (seen.clocks()) {
                        case ServerSide.Clocks.Compared compared ->
                                compared.startNanos() - startNanos;
                        case ServerSide.Clocks.OfKernels _ ->
                                seen.peer().startEpochNanos() - startEpochNanos;
                    };
            return start + peerNanos;
        }

        long lengthNanos() {
            return last(observation.timeline().nanos());
        }
    }

    /// The CPUs that a generator may run on.
    ///
    /// @param bootId identifies the kernel of its host; empty or null if unknown
    public record GeneratorCpus(@Nullable String bootId, List<Integer> cpus) {}

    /// @param observation both ends, or the load's end alone if the two do not belong together
    /// @param peerSummary describes the peer, or null if it was not joined
    public record Joined(
            Observation observation, @Nullable String peerSummary, List<Caveat> caveats) {}

    public static Joined join(Client client, ServerSide.Seen seen) {
        Peer peer = seen.peer();
        double covered = covered(client, seen);
        if (covered < COVERED_MIN) {
            List<Caveat> caveats = ofWatch(client, seen);
            caveats.add(apart(client, seen, covered));
            return new Joined(client.observation(), null, caveats);
        }
        Timeline own = client.observation().timeline();
        List<Series> series = new ArrayList<>();
        own.series().stream().filter(s -> s.counter().end() != End.SERVER).forEach(series::add);
        int[] places = places(client, seen);
        peer.timeline().series().forEach(s -> series.add(at(places, s)));
        Observation both =
                new Observation(
                        client.observation().load(),
                        new Timeline(own.nanos(), List.copyOf(series)),
                        facts(client, peer),
                        client.observation().unloaded());
        String peerSummary =
                "%s on %s, %s".formatted(peer.subject(), peer.host(), clocks(client, seen));
        return new Joined(both, peerSummary, caveats(client, seen, covered));
    }

    /// For each instant of the load, the latest sample of the watch. For the last instant, the last
    /// sample if it is near, because only that one is complete, and otherwise the first sample
    /// after the instant. -1 if there is no such sample.
    private static int[] places(Client client, ServerSide.Seen seen) {
        long[] ours = client.observation().timeline().nanos();
        long[] theirs = seen.peer().timeline().nanos();
        long offset = -client.sinceStartNanos(seen, 0);
        int[] places = new int[ours.length];
        for (int i = 0; i < ours.length; i++) {
            long instant = ours[i] + offset;
            int found = Arrays.binarySearch(theirs, instant);
            int before = found >= 0 ? found : -found - 2;
            boolean last = i == ours.length - 1 && found < 0 && before + 1 < theirs.length;
            int place = last && before >= 0 ? atEnd(theirs, instant, before + 1) : before;
            boolean over = place >= 0 && instant - theirs[place] > GAP_NANOS_MAX;
            places[i] = over && place == theirs.length - 1 ? -1 : place;
        }
        return places;
    }

    private static int atEnd(long[] nanos, long instant, int after) {
        int last = nanos.length - 1;
        return nanos[last] - instant <= LAST_NANOS_MAX ? last : after;
    }

    /// The share of the load's time that the watch covers. If it saw the service end under the
    /// load, there was nothing to see afterwards.
    private static double covered(Client client, ServerSide.Seen seen) {
        int[] places = places(client, seen);
        if (places.length == 0) {
            return 0;
        }
        long[] ours = client.observation().timeline().nanos();
        boolean ended = places[0] >= 0 && hasEnded(seen.peer());
        long end = ended ? lastNanos(client, seen) : Long.MAX_VALUE;
        long count =
                IntStream.range(0, places.length)
                        .filter(i -> places[i] >= 0 || ours[i] > end)
                        .count();
        return (double) count / places.length;
    }

    private static boolean hasEnded(Peer service) {
        return service.facts().caveats().stream().anyMatch(c -> c.is(Doubt.SERVICE_ENDED));
    }

    /// The last instant of the watch, on the timeline of the load.
    private static long lastNanos(Client client, ServerSide.Seen seen) {
        return client.sinceStartNanos(seen, last(seen.peer().timeline().nanos()));
    }

    private static Series at(int[] places, Series series) {
        double[] values = new double[places.length];
        for (int i = 0; i < places.length; i++) {
            values[i] = places[i] < 0 ? Double.NaN : series.values()[places[i]];
        }
        return new Series(series.counter(), values);
    }

    /// The counters of both hosts include everything that runs there.
    private static SandboxFacts facts(Client client, Peer peer) {
        SandboxFacts own = client.observation().facts();
        boolean together =
                client.generators().stream()
                        .filter(one -> sameHost(one.bootId(), peer))
                        .anyMatch(one -> peer.cpus().stream().anyMatch(one.cpus()::contains));
        return new SandboxFacts(
                own.isolation(),
                peer.facts().serverSysctls(),
                own.clientSysctls(),
                peer.facts().serverCpus(),
                own.clientCpus(),
                together,
                peer.facts().most(),
                true,
                services(own, peer),
                Stream.concat(
                                peer.facts().caveats().stream(),
                                own.caveats().stream().filter(PeerJoin::isOfSettings))
                        .toList());
    }

    /// Other doubts of the load's end say that it did not see the server.
    private static boolean isOfSettings(Caveat caveat) {
        return caveat.is(Doubt.SYSCTL_NOT_APPLIED)
                || caveat.is(Doubt.SYSCTL_HIDDEN)
                || caveat.is(Doubt.RESOLVER_NOT_APPLIED);
    }

    /// Those of the server, and a load command, which runs at the load's end.
    private static List<SandboxFacts.ServiceFacts> services(SandboxFacts own, Peer peer) {
        List<SandboxFacts.ServiceFacts> all = new ArrayList<>(peer.facts().services());
        own.services().stream()
                .filter(program -> program.name().equals(LoadSpec.Command.NAME))
                .forEach(all::add);
        return List.copyOf(all);
    }

    private static boolean sameHost(@Nullable String bootId, Peer peer) {
        return peer.bootId() != null && peer.bootId().equals(bootId);
    }

    private static List<Caveat> caveats(Client client, ServerSide.Seen seen, double covered) {
        Peer peer = seen.peer();
        List<Caveat> caveats = ofWatch(client, seen);
        if (covered < COVERED_WHOLLY) {
            caveats.add(Doubt.PEER_PARTIAL.caveat(covered * 100));
        }
        double seconds = clockSeconds(client, seen);
        // The doubt about a jump says the same, with its cause.
        boolean jumped = caveats.stream().anyMatch(c -> c.is(Doubt.PEER_CLOCK_JUMPED));
        if (!(seconds <= CLOCK_SECONDS_MAX) && !jumped) {
            caveats.add(Doubt.PEER_CLOCKS.caveat(clocks(client, seen), againstIt(seen)));
        }
        boolean elsewhere =
                client.port() > 0
                        && peer.facts().services().stream()
                                .noneMatch(s -> s.listens().contains(client.port()));
        if (elsewhere) {
            caveats.add(Doubt.PEER_OTHER_SERVICE.caveat(client.port(), peer.subject()));
        }
        return caveats;
    }

    private static List<Caveat> ofWatch(Client client, ServerSide.Seen seen) {
        List<Caveat> caveats = new ArrayList<>(seen.caveats());
        if (seen.lost() != null) {
            long end = lastNanos(client, seen);
            caveats.add(Doubt.PEER_LOST.caveat(Math.max(0, end) / 1e9, seen.lost()));
        }
        return caveats;
    }

    private static Caveat apart(Client client, ServerSide.Seen seen, double covered) {
        long end = lastNanos(client, seen);
        double before = -end / 1e9;
        double after = (client.sinceStartNanos(seen, 0) - client.lengthNanos()) / 1e9;
        String how =
                covered > 0
                        ? "it saw only %.0f %% of the load's time".formatted(covered * 100)
                        : before > 0
                                ? "it ended %.1f s before the load began".formatted(before)
                                : "it began %.1f s after the load had ended"
                                        .formatted(Math.max(0, after));
        return notJoined("%s by the two clocks (%s)".formatted(how, clocks(client, seen)));
    }

    private static long last(long[] nanos) {
        return nanos.length == 0 ? 0 : nanos[nanos.length - 1];
    }

    /// The doubt that nothing is known about the server.
    public static Caveat notJoined(String why) {
        return Doubt.PEER_NOT_JOINED.caveat(why);
    }

    /// Compared clocks need no NTP: a jump, or slow messages, made the bound so large.
    private static String againstIt(ServerSide.Seen seen) {
        return switch (seen.clocks()) {
            case ServerSide.Clocks.Compared _ -> "measure again, over a path with less delay";
            case ServerSide.Clocks.OfKernels _ ->
                    "synchronize both clocks by NTP (chronyc tracking, timedatectl)";
        };
    }

    /// By how much the clocks may differ; `NaN` if unknown.
    private static double clockSeconds(Client client, ServerSide.Seen seen) {
        return switch (seen.clocks()) {
            case ServerSide.Clocks.Compared compared -> compared.boundNanos() / 1e9;
            case ServerSide.Clocks.OfKernels _ -> ofKernels(client, seen.peer());
        };
    }

    private static double ofKernels(Client client, Peer peer) {
        if (sameHost(client.bootId(), peer)) {
            return 0;
        }
        Long own = client.clockErrorNanos();
        Long its = peer.clockErrorNanos();
        return own == null || its == null ? Double.NaN : LongStream.of(own, its).sum() / 1e9;
    }

    private static String clocks(Client client, ServerSide.Seen seen) {
        double seconds = clockSeconds(client, seen);
        return switch (seen.clocks()) {
            case ServerSide.Clocks.Compared _ ->
                    "its clock compared to within %.3f ms".formatted(seconds * 1e3);
            case ServerSide.Clocks.OfKernels _ ->
                    sameHost(client.bootId(), seen.peer())
                            ? "one clock"
                            : Double.isNaN(seconds)
                                    ? "the difference of the two clocks is unknown"
                                    : "the two clocks differ by at most %.3f s".formatted(seconds);
        };
    }
}
