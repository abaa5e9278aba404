package wallfinder.lab.find;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Objective;
import wallfinder.lab.capacity.Capacity;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.Climb;
import wallfinder.lab.trial.Generator;
import wallfinder.lab.trial.HostTestbed;
import wallfinder.lab.trial.Origin;
import wallfinder.lab.trial.OwnGenerator;
import wallfinder.lab.trial.ProfileTrials;
import wallfinder.lab.trial.ScalableHttpLoad;
import wallfinder.lab.trial.Urls;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.SandboxFacts;
import wallfinder.profiling.CpuProfiling.Samples;
import wallfinder.profiling.Profiling;
import wallfinder.record.RunRecord;

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

    /// One measurement. Without a warm-up it counts from the first connect on, as the server's
    /// counters do.
    ///
    /// @param server the watch on the server's host, or null
    /// @param others who generate the load, or null for this host
    public RunRecord.Trial load(@Nullable ServerSide server, @Nullable Generator others) {
        return generated(server, others, this::load);
    }

    private <T> T generated(
            @Nullable ServerSide server, @Nullable Generator others, Function<Generator, T> work) {
        if (others != null) {
            return work.apply(others);
        }
        try (HostTestbed testbed = new HostTestbed(http, origin, server, context)) {
            return work.apply(new OwnGenerator(testbed, http, context));
        }
    }

    private RunRecord.Trial load(Generator generator) {
        ScalableHttpLoad httpLoad = new ScalableHttpLoad(generator, http, objective);
        boolean warmed = !http.warmup().isZero();
        if (warmed) {
            httpLoad.warmUnder(http.connections());
        }
        return httpLoad.trial("load", http.connections(), http.duration(), warmed);
    }

    /// Profiles the service, warm and under this load.
    ///
    /// @param server the watch on the server's host, or null
    /// @param others who generate the load, or null for this host
    /// @throws EnvironmentException if its processes are hidden, or on a host without a watch
    public List<RunRecord.Trial> profile(@Nullable ServerSide server, @Nullable Generator others) {
        if (server != null && others != null) {
            return profile(others, server::profiling); // this host may not even know the address
        }
        try (HostTestbed testbed = new HostTestbed(http, origin, server, context)) {
            if (server == null && testbed.processes().length == 0) {
                throw hidden(testbed.facts());
            }
            return profile(
                    others == null ? new OwnGenerator(testbed, http, context) : others,
                    testbed::profiling);
        }
    }

    private List<RunRecord.Trial> profile(
            Generator generator, Function<Samples, Profiling> profiler) {
        ScalableHttpLoad httpLoad = new ScalableHttpLoad(generator, http, objective);
        httpLoad.warmUnder(http.connections());
        return Profiles.trials(
                new ProfileTrials(profiler, httpLoad, context.interruption())
                        .run("profile", http.connections(), http.duration()));
    }

    private EnvironmentException hidden(SandboxFacts facts) {
        return new EnvironmentException(
                "the service at %s cannot be profiled".formatted(http.url()),
                facts.caveats().stream()
                        .filter(caveat -> caveat.is(Doubt.SERVER_PROCESS_HIDDEN))
                        .map(Caveat::advice)
                        .findFirst()
                        .orElse("it runs on another host"),
                "run this as root or as its user, or name its host by --server ssh:HOST");
    }

    /// Raises the load to the first wall and reports what would move it. If an end cannot be seen
    /// any more, the climb ends there.
    ///
    /// @param server the watch on the server's host, or null
    /// @param others who generate the load, or null for this host
    public Find.Result find(@Nullable ServerSide server, @Nullable Generator others) {
        return generated(server, others, this::find);
    }

    private Find.Result find(Generator generator) {
        List<RunRecord.Trial> trials = new ArrayList<>();
        RuntimeException failure = null;
        try {
            climb(generator, trials);
        } catch (RuntimeException e) {
            if (trials.isEmpty() || e instanceof CancellationException) {
                throw e;
            }
            failure = e;
        }
        if (trials.isEmpty()) {
            return new Find.Result(trials, List.of(), Find.INTERRUPTED, null);
        }
        RunRecord.Trial last = trials.getLast();
        RunRecord.Rung rung =
                new RunRecord.Rung(trials.size() - 1, null, List.of(), List.of(), last.advice());
        String ended = failure == null ? ended(last) : Capacity.failed(failure);
        return new Find.Result(trials, List.of(rung), ended, failure);
    }

    private void climb(Generator generator, List<RunRecord.Trial> trials) {
        ScalableHttpLoad httpLoad = new ScalableHttpLoad(generator, http, objective);
        Consumer<RunRecord.Trial> keep =
                new ShownClimb(
                        "climb", context.progress(), new Forecast(context.progress(), trials::add));
        new Climb(httpLoad, http.connections(), http.duration(), context.interruption())
                .climb(Climb.Start.FIRST, "climb", keep.andThen(_ -> generator.check()));
    }

    private static String ended(RunRecord.Trial last) {
        return last.diagnosis().verdict() == Verdict.NAMED
                ? "Wallfinder changes no service outside its sandbox: the remedies are yours to apply"
                : Find.ended(last, false);
    }
}
