package wallfinder.lab.find;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Objective;
import wallfinder.experiment.UsageException;
import wallfinder.lab.peer.PeerFile;
import wallfinder.lab.peer.PeerJoin;
import wallfinder.lab.session.HostFacts;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.Climb;
import wallfinder.lab.trial.HostTestbed;
import wallfinder.lab.trial.Origin;
import wallfinder.lab.trial.ScalableHttpLoad;
import wallfinder.lab.trial.Urls;
import wallfinder.observation.Caveat;
import wallfinder.observation.Observation;
import wallfinder.record.RunRecord;
import wallfinder.sandbox.CpuPlan;

/// Drives a service that is there already: once (`load URL`), or raising the load to its first wall
/// (`find URL`). Nothing is changed.
public final class UrlLoad {
    private final LoadSpec.Http http;
    private final Origin origin;
    private final @Nullable Objective objective;
    private final RunContext context;

    public UrlLoad(
            LoadSpec.Http http, Origin origin, @Nullable Objective objective, RunContext context) {
        this.http = http;
        this.origin = origin;
        this.objective = objective;
        this.context = context;
    }

    /// Refuses a URL that cannot be driven, before anything is made or waited for.
    public static void check(LoadSpec.Http http) {
        HostTestbed.reach(http);
    }

    /// One measurement, joined with what a watch saw of the server on its own host. Unless a
    /// warm-up was asked for, it counts from the first connect on, so that its numbers are the
    /// server's own.
    ///
    /// @param peer null if there is none
    public RunRecord.Trial load(@Nullable PeerFile peer) {
        try (HostTestbed testbed = new HostTestbed(http, origin, context)) {
            ScalableHttpLoad httpLoad = new ScalableHttpLoad(testbed, http, objective, context);
            boolean warmed = !http.warmup().isZero();
            if (warmed) {
                httpLoad.warmUnder(http.connections());
            }
            RunRecord.Trial trial =
                    httpLoad.trial("load", http.connections(), http.duration(), warmed);
            return peer == null ? trial : joined(trial, httpLoad.startEpochNanos(), peer);
        }
    }

    /// What was measured is kept whatever comes of the other host's file.
    private RunRecord.Trial joined(RunRecord.Trial trial, long startEpochNanos, PeerFile file) {
        List<Caveat> caveats = new ArrayList<>(trial.caveats());
        SortedMap<String, String> factors = new TreeMap<>(trial.factors());
        Observation observation = trial.observation();
        try {
            int port = http.unix() == null ? Urls.port(Urls.parse(http.url())) : 0;
            PeerJoin.Joined joined =
                    PeerJoin.join(
                            new PeerJoin.Client(
                                    observation,
                                    startEpochNanos,
                                    HostFacts.clockErrorNanos(),
                                    HostFacts.bootId(),
                                    CpuPlan.allowed().stream().boxed().toList(),
                                    port),
                            file.await(context));
            caveats.addAll(joined.caveats());
            observation = joined.observation();
            if (joined.peerSummary() != null) {
                factors.put(RunRecord.PEER, joined.peerSummary());
            }
        } catch (UsageException e) {
            caveats.add(PeerJoin.notJoined(e.what() + ", " + e.why()));
        }
        return new RunRecord.Trial(
                trial.name(),
                factors,
                observation,
                Diagnosis.of(observation),
                List.copyOf(caveats),
                trial.objectiveMet());
    }

    /// Raises the load to the first wall and says what would move it.
    public Find.Result find() {
        List<RunRecord.Trial> trials = new ArrayList<>();
        try (HostTestbed testbed = new HostTestbed(http, origin, context)) {
            ScalableHttpLoad httpLoad = new ScalableHttpLoad(testbed, http, objective, context);
            new Climb(httpLoad, http.connections(), http.duration(), context.interruption())
                    .climb(Climb.Start.FIRST, "climb", trials::add);
        }
        if (trials.isEmpty()) {
            return new Find.Result(trials, List.of(), Find.INTERRUPTED, null);
        }
        RunRecord.Trial last = trials.getLast();
        Judgement.Binds binds = last.diagnosis().headline();
        RunRecord.Rung rung =
                new RunRecord.Rung(
                        trials.size() - 1,
                        null,
                        List.of(),
                        List.of(),
                        binds == null ? List.of() : binds.wall().advice(binds, last.observation()));
        return new Find.Result(trials, List.of(rung), ended(last), null);
    }

    private static String ended(RunRecord.Trial last) {
        return last.diagnosis().verdict() == Verdict.NAMED
                ? "a service outside the sandbox is not changed: the remedies are yours to apply"
                : Find.ended(last, false);
    }
}
