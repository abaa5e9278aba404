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
import wallfinder.lab.peer.PeerJoin;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.HostFacts;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.Climb;
import wallfinder.lab.trial.HostTestbed;
import wallfinder.lab.trial.Objectives;
import wallfinder.lab.trial.Origin;
import wallfinder.lab.trial.ProfileTrials;
import wallfinder.lab.trial.ScalableHttpLoad;
import wallfinder.lab.trial.Urls;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.Observation;
import wallfinder.observation.SandboxFacts;
import wallfinder.record.RunRecord;
import wallfinder.sandbox.CpuPlan;

/// Drives a running service, once or with a load that rises to the first wall. Changes no setting.
///
/// @param objective what the trials must meet, or null
public record UrlLoad(
        LoadSpec.Http http, Origin origin, @Nullable Objective objective, RunContext context) {
    /// Connects once, so that a wrong URL fails before the run begins.
    public static void check(LoadSpec.Http http) {
        HostTestbed.reach(http);
    }

    /// The port of the URL; 0 for a Unix socket.
    public static int port(LoadSpec.Http http) {
        return http.unix() == null ? Urls.port(Urls.parse(http.url())) : 0;
    }

    /// One measurement, joined with what a watch saw on the server's host. Without a warm-up it
    /// counts from the first connect on, as the server's counters do.
    ///
    /// @param server the watch, or null
    public RunRecord.Trial load(@Nullable ServerSide server) {
        try (HostTestbed testbed = new HostTestbed(http, origin, context)) {
            ScalableHttpLoad httpLoad = new ScalableHttpLoad(testbed, http, objective, context);
            boolean warmed = !http.warmup().isZero();
            if (warmed) {
                httpLoad.warmUnder(http.connections());
            }
            RunRecord.Trial trial =
                    httpLoad.trial("load", http.connections(), http.duration(), warmed);
            return server == null ? trial : joined(trial, client(trial, httpLoad), server);
        }
    }

    private PeerJoin.Client client(RunRecord.Trial trial, ScalableHttpLoad httpLoad) {
        return new PeerJoin.Client(
                trial.observation(),
                httpLoad.startNanos(),
                httpLoad.startEpochNanos(),
                HostFacts.clockErrorNanos(),
                HostFacts.bootId(),
                CpuPlan.allowed().stream().boxed().toList(),
                port(http));
    }

    /// Joins a measurement with a watch. Keeps it even if what the other host saw cannot be used.
    ///
    /// @param client the end where the load came from
    public RunRecord.Trial joined(
            RunRecord.Trial trial, PeerJoin.Client client, ServerSide server) {
        List<Caveat> caveats = new ArrayList<>(trial.caveats());
        SortedMap<String, String> factors = new TreeMap<>(trial.factors());
        Observation observation = trial.observation();
        try {
            ServerSide.Seen seen = server.await(context);
            PeerJoin.Joined joined = PeerJoin.join(client, seen);
            caveats.addAll(joined.caveats());
            observation = joined.observation();
            if (joined.peerSummary() != null) {
                factors.put(RunRecord.PEER, joined.peerSummary());
                if (seen.clocks() instanceof ServerSide.Clocks.Compared compared) {
                    factors.put(RunRecord.PEER_HOST, seen.peer().host());
                    factors.put(RunRecord.PEER_CLOCK, Long.toString(compared.boundNanos() / 1_000));
                }
            }
        } catch (UsageException | EnvironmentException e) {
            caveats.add(PeerJoin.notJoined(String.valueOf(e.getMessage())));
        }
        Diagnosis diagnosis = Diagnosis.of(observation);
        return new RunRecord.Trial(
                        trial.name(),
                        factors,
                        observation,
                        diagnosis,
                        List.copyOf(caveats),
                        null,
                        trial.warmup(),
                        trial.role())
                .checked(Objectives.check(objective, observation.load(), diagnosis));
    }

    /// Profiles the service, warm and under this load.
    ///
    /// @throws EnvironmentException if its processes are hidden or on another host
    public List<RunRecord.Trial> profile() {
        try (HostTestbed testbed = new HostTestbed(http, origin, context)) {
            if (testbed.processes().length == 0) {
                throw hidden(testbed.facts());
            }
            ScalableHttpLoad httpLoad = new ScalableHttpLoad(testbed, http, objective, context);
            httpLoad.warmUnder(http.connections());
            return Profiles.trials(
                    new ProfileTrials(testbed, httpLoad, context.interruption())
                            .run("profile", http.connections(), http.duration()));
        }
    }

    private EnvironmentException hidden(SandboxFacts facts) {
        return new EnvironmentException(
                "the service at %s cannot be profiled".formatted(http.url()),
                facts.caveats().stream()
                        .filter(caveat -> caveat.is(Doubt.SERVER_PROCESS_HIDDEN))
                        .map(Caveat::advice)
                        .findFirst()
                        .orElse("it runs on another host"),
                "run this on its host, as root or as its user: wallfinder profile --port N");
    }

    /// Raises the load to the first wall and reports what would move it.
    public Find.Result find() {
        List<RunRecord.Trial> trials = new ArrayList<>();
        try (HostTestbed testbed = new HostTestbed(http, origin, context)) {
            ScalableHttpLoad httpLoad = new ScalableHttpLoad(testbed, http, objective, context);
            new Climb(httpLoad, http.connections(), http.duration(), context.interruption())
                    .climb(
                            Climb.Start.FIRST,
                            "climb",
                            new ShownClimb(
                                    "climb",
                                    context.progress(),
                                    new Forecast(context.progress(), trials::add)));
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
                ? "Wallfinder changes no service outside its sandbox: the remedies are yours to apply"
                : Find.ended(last, false);
    }
}
