package wallfinder.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
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
import wallfinder.experiment.Quantity;
import wallfinder.experiment.Targets;
import wallfinder.experiment.Timeouts;
import wallfinder.experiment.UsageException;
import wallfinder.lab.doctor.Doctor;
import wallfinder.lab.doctor.DoctorOfSandbox;
import wallfinder.lab.session.Session;
import wallfinder.lab.trial.Origin;
import wallfinder.record.RunJson;
import wallfinder.record.RunRecord;
import wallfinder.report.Terminal;

/// Tells every limit that a plan meets, before any load.
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        description = {
            "Tells every limit that a plan meets on this host, which is hit first, at which number,"
                    + " who sets it and what would move it. Sends no load and changes nothing.",
            "",
            "With tcp://HOST:PORT[-PORT] the plan is to hold -c connections.",
            "",
            "The service is named by a URL, a port or a process; without one, only this host as a"
                    + " client is looked at. With an EXPERIMENT.yaml, its services are started in"
                    + " its sandbox, and its load is the plan."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the plan fits",
            "1:the plan does not fit",
            "2:the command line or the experiment is wrong",
            "3:the environment does not allow it"
        })
final class DoctorCommand implements Callable<Integer> {
    private static final int PORT_MAX = 65_535;
    private static final int COUNT_MAX = 10_000_000;

    @Parameters(arity = "0..1", paramLabel = "URL|EXPERIMENT.yaml", description = "What to ask.")
    private String subject = "";

    @Option(names = "--pid", paramLabel = "N", description = "The service's process.")
    private @Nullable String pid;

    @Option(names = "--port", paramLabel = "N", description = "The port that it listens on.")
    private @Nullable String port;

    @Option(
            names = {"-c", "--connections"},
            paramLabel = "N",
            description = "The plan: connections at once, as in 50k.")
    private @Nullable String connections;

    @Option(
            names = {"-R", "--rate"},
            paramLabel = "N",
            description = "The plan: requests a second.")
    private @Nullable String rate;

    @Option(
            names = "--no-keepalive",
            description = "The plan: a connection for each request, so that -R opens as many.")
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
            names = {"-t", "--threads"},
            paramLabel = "N",
            description =
                    "The plan: engine threads (default: 1; of held connections as many as the"
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
                    "How many requests the service works on at a time, where you know it: the size"
                            + " of its pool.")
    private @Nullable String concurrency;

    @Option(
            names = "--probe",
            description =
                    "Learn what a request costs: one connection asks for three to seven seconds,"
                            + " then 16 for one. Needs a URL or an experiment.")
    private boolean probe;

    @Option(names = "--json", paramLabel = "FILE", description = "Also write run.json to FILE.")
    private @Nullable Path json;

    @Mixin private RequestOptions asked = new RequestOptions();
    @Mixin private TlsOptions tls = new TlsOptions();

    @Spec private CommandSpec spec;

    /// Filled by picocli.
    @SuppressWarnings("NullAway.Init")
    DoctorCommand() {}

    @Override
    public Integer call() throws IOException {
        boolean url = subject.contains("://");
        if (!subject.isEmpty() && !url) {
            return experiment();
        }
        if (probe && (!url || subject.startsWith("tcp:"))) {
            throw new UsageException(
                    "--probe cannot be used here",
                    "there is no URL of HTTP to ask",
                    "give one, as in http://127.0.0.1:8080/");
        }
        HoldSpec.Target held = subject.startsWith("tcp:") ? HoldSpec.target(subject) : null;
        Doctor.Findings findings =
                Doctor.host(
                        new Doctor.Asked(
                                pid == null ? 0 : Bounded.count("--pid", pid, COUNT_MAX),
                                port == null ? 0 : Bounded.count("--port", port, PORT_MAX),
                                plan(url(held), held != null),
                                url,
                                held != null,
                                held == null ? 1 : held.ports(),
                                connections != null,
                                Origin.parse(source, null).sources(),
                                concurrency == null
                                        ? 0
                                        : Bounded.count("--concurrency", concurrency, COUNT_MAX),
                                !serverCloses,
                                probe));
        return told(url ? Results.name(subject) : name(), findings);
    }

    private String name() {
        return pid != null ? "process " + pid : port != null ? "port " + port : "this host";
    }

    private int experiment() throws IOException {
        Experiment experiment = ExperimentFile.read(Path.of(subject));
        Session.Options options = new Session.Options(Console.home(), null, "auto");
        Doctor.Findings findings;
        try (Session session =
                Session.open(
                        Results.commandLine(spec),
                        experiment.name(),
                        options,
                        new Console(false))) {
            findings = DoctorOfSandbox.experiment(experiment, probe, session.context());
        }
        return told(experiment.name(), findings);
    }

    private int told(String name, Doctor.Findings findings) throws IOException {
        RunRecord record = Doctor.record(Results.commandLine(spec), name, findings);
        System.out.print(new Terminal(Console.colours()).doctor(record));
        System.out.flush();
        if (json != null) {
            RunJson.write(record, json);
        }
        return findings.fits() ? ExitCode.DONE : ExitCode.OBJECTIVE_MISSED;
    }

    /// How the service's address stands in a plan of HTTP; held connections have no more of it.
    private String url(HoldSpec.@Nullable Target held) {
        if (held == null) {
            return subject.contains("://") ? subject : "http://127.0.0.1/";
        }
        String host = held.host().contains(":") ? "[" + held.host() + "]" : held.host();
        return "http://" + host + ":" + held.port() + "/";
    }

    private int threads(boolean held, int connections) {
        if (threads != null) {
            return Bounded.count("--threads", threads, COUNT_MAX);
        }
        return held ? Doctor.threadsToHold(connections) : 1;
    }

    private LoadSpec.Http plan(String url, boolean held) {
        int count =
                connections == null ? 1 : Bounded.count("--connections", connections, COUNT_MAX);
        Targets targets = asked.requests(url);
        return new LoadSpec.Http(
                targets.url(),
                targets.requests(),
                asked.cookies,
                count,
                threads(held, count),
                !noKeepalive,
                arrival(),
                LoadSpec.Http.DURATION_MAX,
                LoadSpec.Http.NO_REQUESTS_MAX,
                Duration.ZERO,
                Timeouts.whole(Duration.ofSeconds(10)),
                null,
                tls.spec(),
                Expectation.DEFAULT);
    }

    private Arrival arrival() {
        if (rate == null) {
            return lockstep ? new Arrival.Lockstep() : new Arrival.Closed();
        }
        double perSecond = Quantity.number(rate);
        if (perSecond <= 0 || lockstep) {
            throw new UsageException(
                    "--rate " + rate + " cannot be used",
                    lockstep
                            ? "with --lockstep the answers decide when to send"
                            : "it is not above 0",
                    "give another plan, as in -R 5k");
        }
        return new Arrival.Rate(perSecond);
    }
}
