package wallfinder.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.Expectation;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Targets;
import wallfinder.experiment.Timeouts;
import wallfinder.experiment.UsageException;
import wallfinder.lab.agent.RemoteCommand;
import wallfinder.lab.doctor.Doctor;
import wallfinder.lab.doctor.DoctorOfSandbox;
import wallfinder.lab.session.Session;
import wallfinder.lab.trial.Origin;
import wallfinder.lab.trial.Urls;
import wallfinder.linux.EnvironmentException;
import wallfinder.record.RunJson;
import wallfinder.record.RunRecord;
import wallfinder.record.StoredLimits;
import wallfinder.remote.SshTarget;
import wallfinder.report.Terminal;
import wallfinder.report.TextPage;

/// Lists every limit that a plan meets, before any load.
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        description = {
            "Lists every limit that a plan meets on this host: which comes first, at which number, who"
                    + " sets it, and what would move it. A plan is a load that you have not driven"
                    + " yet. doctor changes nothing, and sends no request without --probe.",
            "",
            "With tcp://HOST:PORT[-PORT] the plan is to hold -c connections.",
            "",
            "A URL, a port or a process names the service. Without one, doctor checks only this host"
                    + " as a client. With an EXPERIMENT.yaml, it starts the services in a sandbox;"
                    + " the load of the experiment is the plan."
        },
        exitCodeList = {
            "0:the plan fits",
            "1:the plan does not fit",
            "2:the command line or the experiment is wrong",
            "3:the environment does not allow it"
        })
final class DoctorCommand implements Callable<Integer> {
    private static final int PORT_MAX = 65_535;
    private static final int COUNT_MAX = 10_000_000;

    @Parameters(
            arity = "0..1",
            paramLabel = "URL|EXPERIMENT.yaml",
            description = "The URL of the service, or an experiment.")
    private String subject = "";

    @Option(names = "--pid", paramLabel = "N", description = "The service's process.")
    private @Nullable String pid;

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "The port on which the service listens.")
    private @Nullable String port;

    @Option(
            names = {"-c", "--connections"},
            paramLabel = "N",
            description = "The plan: connections at the same time, as in 50k.")
    private @Nullable String connections;

    @Option(
            names = {"-R", "--rate"},
            paramLabel = "N",
            description = "The plan: requests a second.")
    private @Nullable String rate;

    @Option(names = "--no-keepalive", description = "The plan: each request opens a connection.")
    private boolean noKeepalive;

    @Option(names = "--lockstep", description = "The plan: all connections come at once.")
    private boolean lockstep;

    @Option(
            names = "--server-closes",
            description =
                    "The plan: the server closes connections first. It then keeps them in"
                            + " TIME_WAIT, and the client's ports are free at once.")
    private boolean serverCloses;

    @Option(
            names = "--clients-elsewhere",
            description =
                    "The plan: the clients are on other hosts, so only the limits of the service and"
                            + " its host count.")
    private boolean clientsElsewhere;

    @Option(
            names = {"-t", "--threads"},
            paramLabel = "N",
            description =
                    "The plan: engine threads (default: 1; for held connections as many as the"
                            + " descriptors need).")
    private @Nullable String threads;

    @Option(
            names = "--source",
            paramLabel = "ADDR[-ADDR]",
            description = "The plan: the addresses to connect from.")
    private @Nullable String source;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            description =
                    "How many requests the service handles at a time, if you know it: the size of"
                            + " its pool.")
    private @Nullable String concurrency;

    @Option(
            names = "--probe",
            description =
                    "Measure what a request costs: one connection sends requests for three to seven"
                            + " seconds, then 16 for one second. Needs a URL or an experiment.")
    private boolean probe;

    @Option(names = "--json", paramLabel = "FILE", description = "Also write run.json to FILE.")
    private @Nullable Path json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Also write a page to FILE: the limits as bars.")
    private @Nullable Path html;

    @Mixin private ServerOption server = new ServerOption();
    @Mixin private RequestOptions asked = new RequestOptions();
    @Mixin private TlsOptions tls = new TlsOptions();

    @Spec private CommandSpec spec;

    /// picocli sets the fields.
    @SuppressWarnings("NullAway.Init")
    DoctorCommand() {}

    @Override
    public Integer call() throws IOException {
        FileOptions.checkWritable("--json", json);
        FileOptions.checkWritable("--html", html);
        boolean url = subject.contains("://");
        SshTarget target = server.target();
        if (!subject.isEmpty() && !url) {
            server.excludes(subject, subject);
            new GivenOptions(spec, spec.options())
                    .refuseWithExperiment(Set.of("--probe", "--json", "--html"));
            return experiment();
        }
        checkProbe(url);
        HoldSpec.Target held = subject.startsWith("tcp:") ? HoldSpec.target(subject) : null;
        if (target != null) {
            return twoHosts(target, url, held);
        }
        boolean named = url || pid != null || port != null;
        if (clientsElsewhere && (!named || url)) {
            throw new UsageException(
                    "--clients-elsewhere cannot be used here",
                    "it is for a service of this host: a URL is what a client of this host uses",
                    "name the service by --port or --pid");
        }
        Doctor.Here here = clientsElsewhere ? Doctor.Here.ONLY_SERVER : Doctor.Here.CLIENT;
        return print(url ? Results.name(subject) : name(), findings(here, url, held));
    }

    private void checkProbe(boolean url) {
        if (probe && server.target() != null) {
            throw new UsageException(
                    "--probe cannot be used with --server",
                    "it measures the CPU time of a request, which is used on the other host",
                    "leave it out, or run doctor --probe there");
        }
        if (probe && (!url || subject.startsWith("tcp:"))) {
            throw new UsageException(
                    "--probe cannot be used here",
                    "it needs the URL of an HTTP service",
                    "give one, as in http://127.0.0.1:8080/");
        }
    }

    private Doctor.Findings findings(
            Doctor.Here here, boolean url, HoldSpec.@Nullable Target held) {
        return Doctor.host(
                new Doctor.Asked(
                        here,
                        Bounded.count("--pid", pid, COUNT_MAX, 0),
                        Bounded.count("--port", port, PORT_MAX, 0),
                        plan(url(held), held != null),
                        url,
                        held != null,
                        held == null ? 1 : held.ports(),
                        connections != null,
                        Origin.parse(source, null).sources(),
                        Bounded.count("--concurrency", concurrency, COUNT_MAX, 0),
                        !serverCloses,
                        probe));
    }

    /// The limits of the server on its host; with a URL also those of the client on this one.
    private int twoHosts(SshTarget target, boolean url, HoldSpec.@Nullable Target held)
            throws IOException {
        Doctor.Findings here =
                url
                        ? findings(Doctor.Here.ONLY_CLIENT, true, held)
                        : new Doctor.Findings(List.of(), List.of());
        RemoteCommand.Result there =
                RemoteCommand.run(
                        target, Console.home(), words(url, held), "--json", Console.plain());
        int code = there.ended().code();
        if (code != ExitCode.DONE && code != ExitCode.OBJECTIVE_MISSED) {
            System.err.println("on %s:".formatted(target));
            System.err.print(there.ended().errors());
            return code;
        }
        if (there.ended().result().isEmpty()) {
            throw new EnvironmentException(
                    "the limits of %s are unknown".formatted(target),
                    "the connection ended before they arrived",
                    "run doctor again");
        }
        StoredLimits limits = StoredLimits.read(there.ended().result());
        String name = "%s on %s".formatted(url ? Results.name(subject) : name(), there.host());
        return print(name, here.with(limits, there.host()));
    }

    /// The command for the server's host: the same plan, without what concerns the client.
    private List<String> words(boolean url, HoldSpec.@Nullable Target held) {
        List<String> words = new ArrayList<>(List.of("doctor", "--clients-elsewhere"));
        if (pid != null) {
            words.add("--pid=" + pid);
        } else if (port != null) {
            words.add("--port=" + port);
        } else if (url) {
            int of = held == null ? Urls.port(Urls.parse(subject)) : held.port();
            words.add("--port=" + of);
        } else {
            throw new UsageException(
                    "--server does not say which service",
                    "several services may run on that host",
                    "add a URL, --port N or --pid N");
        }
        add("--connections", connections, words);
        add("--rate", rate, words);
        add("--concurrency", concurrency, words);
        add("--no-keepalive", noKeepalive, words);
        add("--lockstep", lockstep, words);
        add("--server-closes", serverCloses, words);
        return words;
    }

    private static void add(String option, @Nullable String value, List<String> words) {
        if (value != null) {
            words.add(option + "=" + value);
        }
    }

    private static void add(String option, boolean given, List<String> words) {
        if (given) {
            words.add(option);
        }
    }

    private String name() {
        return pid != null ? "process " + pid : port != null ? "port " + port : "this host";
    }

    private int experiment() throws IOException {
        Experiment experiment = ExperimentFile.read(Path.of(subject));
        OtherHosts.refuse("doctor", List.of(experiment));
        Session.Options options = new Session.Options(Console.home(), null, "auto");
        Doctor.Findings findings;
        try (Session session =
                Session.open(
                        Results.commandLine(spec), experiment.name(), options, Console.plain())) {
            findings = DoctorOfSandbox.experiment(experiment, probe, session.context());
        }
        return print(experiment.name(), findings);
    }

    private int print(String name, Doctor.Findings findings) throws IOException {
        RunRecord record = Doctor.record(Results.commandLine(spec), name, findings);
        System.out.print(new Terminal(Console.colours()).doctor(record));
        System.out.flush();
        if (json != null) {
            RunJson.write(record, json);
        }
        if (html != null) {
            TextPage.write(record, html);
        }
        return findings.fits() ? ExitCode.DONE : ExitCode.OBJECTIVE_MISSED;
    }

    /// The URL of the plan. For held connections it has only the address of the service.
    private String url(HoldSpec.@Nullable Target held) {
        if (held == null) {
            return subject.contains("://") ? subject : "http://127.0.0.1/";
        }
        String host = held.host().contains(":") ? "[" + held.host() + "]" : held.host();
        return "http://" + host + ":" + held.port() + "/";
    }

    private LoadSpec.Http plan(String url, boolean held) {
        int count = Bounded.count("--connections", connections, COUNT_MAX, 1);
        int threadsDefault = held ? Doctor.threadsToHold(count) : 1;
        Targets targets = asked.requests(url);
        return new LoadSpec.Http(
                targets.url(),
                targets.requests(),
                asked.cookies,
                count,
                Bounded.count("--threads", threads, COUNT_MAX, threadsDefault),
                !noKeepalive,
                arrival(),
                LoadSpec.Http.DURATION_MAX,
                LoadSpec.Http.NO_REQUESTS_MAX,
                Duration.ZERO,
                Timeouts.whole(Duration.ofSeconds(10)),
                null,
                tls.spec(),
                Expectation.DEFAULT,
                List.of());
    }

    private Arrival arrival() {
        ArrivalOptions arrivals = new ArrivalOptions();
        arrivals.rate = rate;
        arrivals.lockstep = lockstep;
        return arrivals.arrival();
    }
}
