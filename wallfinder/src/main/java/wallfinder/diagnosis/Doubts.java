package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import wallfinder.observation.Caveat;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Unloaded;

/// Reasons to doubt a measurement, each with advice.
final class Doubts {
    /// With fewer answers, a p99 rests on a handful of requests.
    private static final long ANSWERS_MIN = 1_000;

    /// A shorter load has at most ten samples.
    private static final double SECONDS_MIN = 1.0;

    /// In this time a watch sees an event that happens once a second at least three times.
    private static final double WATCHED_SECONDS_MIN = 3.0;

    /// Above this, the error of the ratio of two trials exceeds what [RatioInterval] treats as
    /// noise.
    private static final double STEAL_SHARE_MAX = 0.05;

    /// A CPU that handles packets while it is idle loses up to a tenth of its ticks. More are lost
    /// only if a hypervisor stops the CPU and does not report it as steal.
    private static final double LOST_TICKS_MAX = 0.15;

    /// A service that lost a tenth of the CPU time that it wanted looks a tenth slower than it is.
    private static final double LOST_SHARE_MAX = 0.1;

    /// Threads of a service that wait for another one of its threads, while it gets single
    /// requests.
    private static final int OWN_WAITERS_MAX = 2;

    /// An error of the rate that matters.
    private static final double UNDER_WAY_SHARE_MAX = 0.02;

    private Doubts() {}

    static List<Caveat> of(Observation observation, Symptoms symptoms) {
        List<Caveat> caveats = new ArrayList<>(observation.facts().caveats());
        LoadOutcome load = observation.load();
        answersAreErrors(load, caveats);
        switch (load) {
            case LoadOutcome.Driven driven -> driven(driven, observation, symptoms, caveats);
            case LoadOutcome.Command _ -> {}
            case LoadOutcome.Unseen _ -> shortWatch(load, caveats);
        }
        sharedCpus(observation, symptoms, caveats);
        spinning(observation, caveats);
        noisyHost(observation, symptoms, caveats);
        Drift.of(observation).ifPresent(drift -> caveats.addAll(drift.caveats()));
        return caveats;
    }

    private static void driven(
            LoadOutcome.Driven load,
            Observation observation,
            Symptoms symptoms,
            List<Caveat> caveats) {
        shortRun(load, caveats);
        lateGenerator(load.generator(), caveats);
        switch (load) {
            case LoadOutcome.Requests requests -> {
                connectionsBusy(requests, caveats);
                repeated(requests, caveats);
                tooShort(requests, symptoms, caveats);
                if (!LoadGenerator.surelyLate(requests)) {
                    sentLate(requests, "request", caveats);
                }
            }
            // The fate of connections does not depend on the exact time of a message.
            case LoadOutcome.Held held -> sentLate(held, "message", caveats);
        }
        StallDoubts.of(load, symptoms, caveats);
        SelfCheck.of(load, observation, caveats);
    }

    private static void shortWatch(LoadOutcome load, List<Caveat> caveats) {
        if (load.seconds() < WATCHED_SECONDS_MIN) {
            caveats.add(Doubt.SHORT_WATCH.caveat(load.seconds()));
        }
    }

    private static void shortRun(LoadOutcome load, List<Caveat> caveats) {
        boolean shortly = load.seconds() < SECONDS_MIN || load.answered() < ANSWERS_MIN;
        if (shortly && load.answered() > 0) {
            caveats.add(Doubt.SHORT_RUN.caveat(load.answered(), load.seconds()));
        }
    }

    private static void answersAreErrors(LoadOutcome load, List<Caveat> caveats) {
        double share = load.answers().badShareAlone();
        if (share > 0) {
            caveats.add(
                    Doubt.ANSWERS_ARE_ERRORS.caveat(
                            EvidenceFigures.percent(share), BadAnswers.describe(load)));
        }
    }

    private static void lateGenerator(LoadOutcome.Generator generator, List<Caveat> caveats) {
        if (generator.waitingShare() > LoadGenerator.WAITING_SHARE_MAX) {
            caveats.add(
                    Doubt.LATE_GENERATOR.caveat(EvidenceFigures.percent(generator.waitingShare())));
        }
    }

    private static void sentLate(LoadOutcome.Driven load, String what, List<Caveat> caveats) {
        double late = LoadGenerator.lateNanos(load);
        if (late > LoadGenerator.lateNanosMax(load)) {
            caveats.add(Doubt.SENT_LATE.caveat(what, EvidenceFigures.millis(late)));
        }
    }

    /// A real client would not wait for one of the generator's connections.
    private static void connectionsBusy(LoadOutcome.Requests load, List<Caveat> caveats) {
        if (load.loop() instanceof LoadOutcome.Loop.Open open
                && open.waited() > ArrivalCheck.WAITED_SHARE_MAX * load.sent()) {
            caveats.add(
                    Doubt.CONNECTIONS_BUSY.caveat(
                            EvidenceFigures.percent((double) open.waited() / load.sent()),
                            load.connections()));
        } else {
            ArrivalCheck.of(load).flatMap(ArrivalCheck::caveat).ifPresent(caveats::add);
        }
    }

    /// A server that closes idle connections now and then meets a request on its way.
    private static void repeated(LoadOutcome.Requests load, List<Caveat> caveats) {
        if (load.repeated() > Symptoms.ERROR_SHARE * load.sent()) {
            caveats.add(Doubt.REQUESTS_REPEATED.caveat(load.repeated(), load.sent()));
        }
    }

    /// An answer that takes longer than the load counts for none of it.
    private static void tooShort(
            LoadOutcome.Requests load, Symptoms symptoms, List<Caveat> caveats) {
        if (load.loop() instanceof LoadOutcome.Loop.Closed
                && !symptoms.leavesUnanswered()
                && load.inFlight() > UNDER_WAY_SHARE_MAX * load.answered()) {
            caveats.add(
                    Doubt.LOAD_TOO_SHORT.caveat(
                            load.inFlight(),
                            LoadOutcome.DRAIN_NANOS / 1e9,
                            load.answered(),
                            load.seconds()));
        }
    }

    private static void sharedCpus(
            Observation observation, Symptoms symptoms, List<Caveat> caveats) {
        if (observation.facts().sharedCpus() && symptoms.cpuSaturated()) {
            caveats.add(Doubt.SHARED_CPUS.caveat(observation.facts().serverCpus()));
        }
    }

    private static void spinning(Observation observation, List<Caveat> caveats) {
        observation
                .timeline()
                .all(ProcessFigure.SPINNING, End.SERVER)
                .filter(s -> s.last() > 0)
                .forEach(s -> caveats.add(Doubt.SPINNING_THREADS.caveat(s.last(), s.subject())));
    }

    /// The share of the time without load in which a service waited for a CPU that others used. Its
    /// own threads use it for no longer than they run, and two of them may wait for a third. If
    /// more of them wait, the time that other programs used is the bound. While a quota stops the
    /// service, all of its threads seem to wait for a CPU. `NaN` if the use of the CPUs was not
    /// read.
    private static double lostShareAlone(Observation observation) {
        Unloaded unloaded = observation.unloaded();
        if (unloaded == null) {
            return 0;
        }
        Observation alone =
                new Observation(observation.load(), unloaded.timeline(), observation.facts());
        if (CpuUse.ofServices(alone, CgroupFigure.THROTTLED_SECONDS) > 0
                || UnseenQuota.of(observation).isPresent()) {
            return 0;
        }
        double used = CpuUse.ofServices(alone, ProcessFigure.CPU);
        double others = UnseenQuota.busySeconds(alone, Symptoms.watchedSeconds(alone)) - used;
        double waited =
                CpuUse.ofServices(alone, ProcessFigure.WAITING)
                        - CpuUse.ofServices(alone, JvmFigure.OWN_WAITING);
        double lost = Math.max(0, Math.min(waited - OWN_WAITERS_MAX * used, others));
        return Math.min(1, Symptoms.share(lost, Symptoms.watchedSeconds(alone)));
    }

    private static void noisyHost(
            Observation observation, Symptoms symptoms, List<Caveat> caveats) {
        if (symptoms.cpu().lostShare() > LOST_SHARE_MAX) {
            caveats.add(
                    Doubt.BUSY_HOST.caveat(EvidenceFigures.percent(symptoms.cpu().lostShare())));
        }
        double alone = lostShareAlone(observation);
        if (alone > LOST_SHARE_MAX) {
            caveats.add(Doubt.BUSY_ALONE.caveat(EvidenceFigures.percent(alone)));
        }
        double seconds = Symptoms.watchedSeconds(observation) * observation.facts().serverCpus();
        double steal = observation.timeline().growth(EndFigure.CPUS_STEAL, End.SERVER);
        if (seconds > 0 && steal / seconds > STEAL_SHARE_MAX) {
            caveats.add(Doubt.NOISY_HOST.caveat(EvidenceFigures.percent(steal / seconds)));
        }
        double counted = observation.timeline().growth(EndFigure.CPUS_COUNTED, End.SERVER);
        double lost = 1 - Symptoms.share(counted, seconds);
        if (counted > 0 && lost > LOST_TICKS_MAX) {
            caveats.add(Doubt.LOST_TICKS.caveat(EvidenceFigures.percent(lost)));
        }
    }
}
