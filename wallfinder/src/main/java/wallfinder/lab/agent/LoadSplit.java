package wallfinder.lab.agent;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.Body;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.UsageException;
import wallfinder.lab.trial.Origin;
import wallfinder.load.EngineChoice;
import wallfinder.load.Share;

/// Divides a load among generators. The parts add up exactly to the whole: the first ones get the
/// rest of the connections, the requests and the source addresses. Of n generators, each sends
/// every n-th request of the schedule, and takes every n-th number of a counter. Each may open one
/// connection at a time at least.
final class LoadSplit {
    private LoadSplit() {}

    /// @throws UsageException if it cannot be divided
    static void check(LoadSpec.Http http, Origin origin, int count) {
        atMost(count);
        enough("--connections", http.connections(), "connection", count);
        enough("--requests", http.requestsMax(), "request", count);
        onlyHere(origin, count);
        if (http.arrival() instanceof Arrival.Lockstep) {
            throw refused("--lockstep", "a batch cannot wait for the answers to another host");
        }
        if (http.unix() != null) {
            throw refused("--unix-socket", "it leads to a service on this host");
        }
        fileOfThisHost("--cacert", http.tls().ca());
        fileOfThisHost("--cert", http.tls().cert());
        if (http.requests().stream().anyMatch(one -> one.body() instanceof Body.File)) {
            fileOfThisHost("a body", "FILE");
        }
    }

    private static void atMost(int count) {
        if (count > Plans.GENERATORS_MAX) {
            throw new UsageException(
                    count + " generators cannot be used",
                    "there may be " + Plans.GENERATORS_MAX,
                    "name fewer");
        }
    }

    private static void onlyHere(Origin origin, int count) {
        if (!origin.sources().isEmpty()) {
            enough("--source", origin.sources().size(), "address", count);
        }
        if (!origin.cpus().isEmpty()) {
            throw refused("--cpuset", "it names CPUs of this host");
        }
    }

    private static void enough(String option, long have, String what, int count) {
        if (have < count) {
            throw new UsageException(
                    "%s %,d cannot be divided among %d generators".formatted(option, have, count),
                    "each of them needs one %s at least".formatted(what),
                    "raise it, or name fewer generators");
        }
    }

    private static void fileOfThisHost(String option, @Nullable String file) {
        if (file != null) {
            throw refused(option + " " + file, "the file is on this host");
        }
    }

    private static UsageException refused(String option, String why) {
        return new UsageException(
                option + " and --generator cannot be used together",
                why,
                "leave one out, or run load on the other host itself");
    }

    /// @throws UsageException if it cannot be divided
    static void check(HoldSpec spec, Origin origin, int count) {
        atMost(count);
        enough("--connections", spec.connections(), "connection", count);
        onlyHere(origin, count);
    }

    /// @param sources those of all generators
    /// @param hosts one for each generator; several on a host share its ports
    /// @param count of the generators that drive
    static List<LoadMessage.Hold> of(
            HoldSpec spec,
            List<InetAddress> sources,
            List<String> hosts,
            int count,
            long memoryFloorBytes) {
        List<Share> ofHosts = ofHosts(hosts);
        List<LoadMessage.Hold> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            parts.add(
                    new LoadMessage.Hold(
                            part(spec, new Share(i, count)),
                            ofGenerator(sources, new Share(i, hosts.size())),
                            ofHosts.get(i),
                            memoryFloorBytes));
        }
        return parts;
    }

    /// A generator has the same addresses whether or not the others drive.
    private static List<InetAddress> ofGenerator(List<InetAddress> sources, Share share) {
        int before = (int) share.before(sources.size());
        return sources.subList(before, before + (int) share.of(sources.size()));
    }

    private static HoldSpec part(HoldSpec spec, Share share) {
        HoldSpec.Opening all = spec.opening();
        return spec.part(
                (int) share.of(spec.connections()),
                new HoldSpec.Opening(
                        all.perSecond() / share.count(),
                        (int) Math.max(1, share.of(all.atOnce())),
                        all.timeout()));
    }

    /// Each generator's part of the ports of its host.
    private static List<Share> ofHosts(List<String> hosts) {
        Map<String, Integer> before = new HashMap<>();
        List<Share> shares = new ArrayList<>();
        for (String host : hosts) {
            int place = before.merge(host, 1, Integer::sum) - 1;
            shares.add(new Share(place, (int) hosts.stream().filter(host::equals).count()));
        }
        return shares;
    }

    /// @param sources those of all generators
    /// @param hosts one for each generator; several on a host share its ports
    /// @param count of the generators that drive
    /// @param settle whether the opening of the connections comes before the measured time
    static List<LoadMessage.Plan> of(
            LoadSpec.Http http,
            List<InetAddress> sources,
            List<String> hosts,
            int count,
            EngineChoice engine,
            boolean settle) {
        List<Share> ofHosts = ofHosts(hosts);
        List<LoadMessage.Plan> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Share share = new Share(i, count);
            Share ofAll = new Share(i, hosts.size());
            parts.add(
                    new LoadMessage.Plan(
                            part(http, share),
                            ofGenerator(sources, ofAll),
                            share,
                            ofAll,
                            ofHosts.get(i),
                            engine,
                            settle));
        }
        return parts;
    }

    private static LoadSpec.Http part(LoadSpec.Http http, Share share) {
        boolean counted = http.requestsMax() != LoadSpec.Http.NO_REQUESTS_MAX;
        return http.part(
                (int) share.of(http.connections()),
                http.duration(),
                counted ? share.of(http.requestsMax()) : http.requestsMax());
    }

    /// A generator's part of a constant rate; `NaN` without one.
    static double perSecond(Arrival arrival, int count) {
        return switch (arrival) {
            case Arrival.Rate(double perSecond) -> perSecond / count;
            case Arrival.Poisson poisson -> poisson.perSecond() / count;
            case Arrival.Closed _, Arrival.Lockstep _, Arrival.Stages _ -> Double.NaN;
        };
    }
}
