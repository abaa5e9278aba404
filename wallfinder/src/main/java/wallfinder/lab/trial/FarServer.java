package wallfinder.lab.trial;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.UsageException;
import wallfinder.lab.peer.PeerJoin;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.HostFacts;
import wallfinder.lab.session.RunContext;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.Caveat;
import wallfinder.observation.Observation;
import wallfinder.observation.Timeline;
import wallfinder.record.RunRecord;
import wallfinder.sandbox.CpuPlan;

/// The server's end of the measurements of a load, if somebody watches it on its own host.
public final class FarServer {
    private final @Nullable ServerSide watch;
    private final int port;
    private final RunContext context;
    private long startNanos;
    private long startEpochNanos;
    private ServerSide.@Nullable Seen seen;
    private @Nullable Caveat unknown;
    private boolean watchesAlone;

    /// @param watch null if the server is not watched on another host
    /// @param port the port that the load goes to; 0 if it goes to none
    public FarServer(@Nullable ServerSide watch, int port, RunContext context) {
        this.watch = watch;
        this.port = watch != null && watch.port() > 0 ? watch.port() : port;
        this.context = context;
    }

    /// @param http with an address in place of each placeholder
    public static FarServer of(@Nullable ServerSide watch, LoadSpec.Http http, RunContext context) {
        boolean inet = watch != null && http.unix() == null;
        return new FarServer(watch, inet ? Urls.port(Urls.parse(http.url())) : 0, context);
    }

    /// Begins to watch, before the load.
    public void begin() {
        seen = null;
        unknown = null;
        if (watch != null) {
            watch.begin();
        }
    }

    /// The load ends now, but its last answers are still to come.
    public void requestEnd() {
        if (watch != null) {
            watch.requestEnd();
        }
    }

    /// Ends the watch of the load, if another one may follow before the two ends are joined.
    public void end() {
        if (watch != null && watch.watchesAgain()) {
            await(watch);
        }
    }

    private void await(ServerSide ending) {
        try {
            seen = ending.await(context);
        } catch (UsageException | EnvironmentException e) {
            unknown = PeerJoin.notJoined(String.valueOf(e.getMessage()));
        }
    }

    /// Begins to watch requests that are sent one at a time, if that is possible.
    public void beginAlone() {
        watchesAlone = false;
        if (watch != null && watch.watchesAgain()) {
            try {
                watch.beginAlone();
                watchesAlone = true;
            } catch (UsageException | EnvironmentException e) {
                // Nothing is known of them then.
            }
        }
    }

    /// What was seen of them; null if nothing was.
    public @Nullable Timeline endAlone() {
        if (watch == null || !watchesAlone) {
            return null;
        }
        try {
            return watch.endAlone();
        } catch (UsageException | EnvironmentException e) {
            return null;
        }
    }

    /// @param nanos the first instant of the measurement, by [System#nanoTime]
    void measuredFrom(long nanos) {
        startNanos = nanos;
        startEpochNanos = HostFacts.epochNanos(nanos);
    }

    /// @param factors what the result says of the watch
    public record Both(
            Observation observation, SortedMap<String, String> factors, List<Caveat> caveats) {
        /// @param more what was set
        public Both with(SortedMap<String, String> more) {
            SortedMap<String, String> all = new TreeMap<>(more);
            all.putAll(factors);
            return new Both(observation, all, caveats);
        }
    }

    /// Ends the watch, and adds what it saw to what this end saw.
    Both join(Observation own) {
        return join(client(own));
    }

    /// The same, for another end that generated the load. Keeps the measurement even if what the
    /// other host saw cannot be used.
    public Both join(PeerJoin.Client client) {
        Observation own = client.observation();
        if (watch != null && seen == null && unknown == null) {
            await(watch);
        }
        ServerSide.Seen there = seen;
        if (there == null) {
            List<Caveat> why = unknown == null ? List.of() : List.of(unknown);
            return new Both(own, new TreeMap<>(), why);
        }
        PeerJoin.Joined joined = PeerJoin.join(client, there);
        return new Both(joined.observation(), factors(joined, there), joined.caveats());
    }

    private PeerJoin.Client client(Observation own) {
        return new PeerJoin.Client(
                own,
                startNanos,
                startEpochNanos,
                HostFacts.clockErrorNanos(),
                HostFacts.bootId(),
                List.of(
                        new PeerJoin.GeneratorCpus(
                                HostFacts.bootId(), CpuPlan.allowed().stream().boxed().toList())),
                port);
    }

    private static SortedMap<String, String> factors(PeerJoin.Joined joined, ServerSide.Seen seen) {
        SortedMap<String, String> factors = new TreeMap<>();
        if (joined.peerSummary() != null) {
            factors.put(RunRecord.PEER, joined.peerSummary());
            factors.put(RunRecord.PEER_HOST, seen.peer().host());
            if (seen.clocks() instanceof ServerSide.Clocks.Compared compared) {
                factors.put(RunRecord.PEER_CLOCK, Long.toString(compared.boundNanos() / 1_000));
            }
        }
        return factors;
    }
}
