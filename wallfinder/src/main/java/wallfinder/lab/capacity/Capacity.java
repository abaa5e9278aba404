package wallfinder.lab.capacity;

import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Objective;
import wallfinder.experiment.UsageException;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.Generator;
import wallfinder.lab.trial.HostTestbed;
import wallfinder.lab.trial.NotStarted;
import wallfinder.lab.trial.Origin;
import wallfinder.lab.trial.OwnGenerator;
import wallfinder.lab.trial.TrialHosts;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.CapacityRecord;
import wallfinder.record.RunRecord;

/// Finds the highest rate at which a service holds an objective, and the wall directly above.
public final class Capacity {
    private final CapacityTrials trials;
    private final LoadSpec.Http http;
    private final Objective objective;
    private final RunContext context;

    private Capacity(
            CapacityTrials trials, LoadSpec.Http http, Objective objective, RunContext context) {
        this.trials = trials;
        this.http = http;
        this.objective = objective;
        this.context = context;
    }

    /// Of a running service, with the load from this host.
    ///
    /// @param server who watches it on its own host, or null
    public static Capacity of(
            LoadSpec.Http http,
            Origin origin,
            Objective objective,
            @Nullable ServerSide server,
            RunContext context) {
        return new Capacity(
                new RunningService(() -> warm(http, origin, objective, server, context)),
                http,
                objective,
                context);
    }

    private static WarmPlace warm(
            LoadSpec.Http http,
            Origin origin,
            Objective objective,
            @Nullable ServerSide server,
            RunContext context) {
        HostTestbed testbed = new HostTestbed(http, origin, server, context);
        return new WarmPlace(
                () -> new OwnGenerator(testbed, http, context),
                http,
                objective,
                testbed::close,
                "");
    }

    /// Of a running service.
    public static Capacity of(
            LoadSpec.Http http, Objective objective, Generator generator, RunContext context) {
        return new Capacity(
                new RunningService(
                        () -> new WarmPlace(() -> generator, http, objective, () -> {}, "")),
                http,
                objective,
                context);
    }

    /// Of the services of an experiment, which start anew for each pair of trials.
    public static Capacity of(Experiment experiment, Objective objective, TrialHosts hosts) {
        return of(experiment, objective, hosts, "");
    }

    /// @param label begins the names of the trials, so that they are unique in their run
    public static Capacity of(
            Experiment experiment, Objective objective, TrialHosts hosts, String label) {
        LoadSpec.Http http = http(experiment);
        return new Capacity(
                new SandboxTrials(experiment, http, hosts, label),
                http,
                objective,
                hosts.context());
    }

    /// One trial with fresh services.
    public static RunRecord.Trial trial(
            Experiment experiment,
            Objective objective,
            TrialHosts hosts,
            double perSecond,
            String name) {
        LoadSpec.Http http = http(experiment);
        try (CapacityTrials.Place place =
                new SandboxTrials(experiment, http, hosts, "").open(name)) {
            RunRecord.Trial trial = place.at(perSecond, http.duration(), name);
            return trial.meeting(Margin.of(objective, trial.observation().load()) <= 0);
        }
    }

    /// @param capacity null if no pair was measured
    /// @param ended why the search ended, in one sentence
    /// @param failure the error that ended it, or null
    public record Result(
            List<RunRecord.Trial> trials,
            @Nullable CapacityRecord capacity,
            End end,
            String ended,
            @Nullable RuntimeException failure) {
        private Result failed(RuntimeException other) {
            return new Result(trials, capacity, end, ended, other);
        }
    }

    /// How a search ended.
    public enum End {
        FOUND,
        NEVER_HELD,
        GENERATOR,
        INTERRUPTED,
        FAILED
    }

    /// @param asker what needs the objective
    /// @param example how to give one
    /// @throws UsageException if there is no objective, or none that a rate can hold
    public static Objective checked(@Nullable Objective objective, String asker, String example) {
        if (objective == null) {
            throw new UsageException(
                    asker + " needs an objective",
                    "a rate is a capacity only if the service holds something at it",
                    example);
        }
        Margin.check(objective);
        return objective;
    }

    /// @throws UsageException if the experiment's load has no rate of requests
    public static LoadSpec.Http http(Experiment experiment) {
        if (experiment.load() instanceof LoadSpec.Http http) {
            return http;
        }
        throw new UsageException(
                "capacity cannot raise the load of this experiment",
                "only requests over HTTP have a rate that it can choose",
                "use `find` or `run`, or write the load as `url: ...`");
    }

    /// Searches. The result contains what was measured until the user stopped it, or it failed.
    public Result run() {
        try {
            Result result = search();
            RuntimeException failure = result.failure();
            return failure == null ? result : result.failed(NotStarted.inside(failure));
        } catch (NotStarted e) {
            throw NotStarted.inside(e);
        }
    }

    /// The same, but an error of the start is a [NotStarted].
    public Result search() {
        CapacitySearch search =
                new CapacitySearch(
                        trials,
                        objective,
                        http.duration(),
                        context.interruption(),
                        context.progress());
        try {
            return result(search);
        } catch (CancellationException e) {
            return result(search, End.INTERRUPTED, "interrupted", null);
        } catch (RuntimeException e) {
            if (search.measured().isEmpty()) {
                throw e;
            }
            return result(search, End.FAILED, failed(e), e);
        }
    }

    /// How a search ended that failed after it had measured something.
    public static String failed(RuntimeException error) {
        RuntimeException e = NotStarted.inside(error);
        boolean known = e instanceof EnvironmentException || e instanceof UsageException;
        return "it failed: " + (known ? e.getMessage() : "a defect in Wallfinder itself: " + e);
    }

    private Result result(CapacitySearch search) {
        return switch (search.run()) {
            case FOUND -> found(search);
            case NEVER_HELD -> result(search, End.NEVER_HELD, neverHeld(search.last()), null);
            case GENERATORS_LIMIT ->
                    result(search, End.GENERATOR, generator(search.found().isPresent()), null);
        };
    }

    private static String generator(boolean held) {
        return held
                ? "the generator is the limit: the service holds the objective at this rate, and perhaps"
                        + " at a higher one"
                : "the generator is the limit, so nothing is known of the service: give it more CPU";
    }

    static String neverHeld(Level last) {
        LoadOutcome load = last.trial().observation().load();
        if (load.answers().mostlyBadAlone()) {
            return "one request alone gets a bad answer, too: correct the URL or the credentials";
        }
        return load.answered() == 0
                ? "no request got an answer, at %.1f requests a second".formatted(last.perSecond())
                : "even %.1f requests a second miss the objective".formatted(last.perSecond());
    }

    private Result found(CapacitySearch search) {
        boolean confirmed = search.found().map(CapacityRecord::confirmed).orElse(false);
        return result(
                search,
                End.FOUND,
                confirmed
                        ? "most trials a little below the capacity held the objective, and most a"
                                + " little above missed it"
                        : "the trials on both sides of the capacity contradict each other: measure"
                                + " longer (-d)",
                null);
    }

    private static Result result(
            CapacitySearch search, End end, String ended, @Nullable RuntimeException failure) {
        return new Result(search.measured(), search.found().orElse(null), end, ended, failure);
    }
}
