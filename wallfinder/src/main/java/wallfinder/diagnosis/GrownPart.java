package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Budget.Part;
import wallfinder.diagnosis.Budget.Share;
import wallfinder.observation.End;
import wallfinder.observation.Observation;
import wallfinder.observation.WaitFigure;

/// The judgement of a wall that shows as a part of the time budget: most of the extra time that an
/// answer spends inside the service is in that part.
///
/// @param counted what was counted to know that, such as `threads in fsync`
record GrownPart(Wall wall, Part part, String counted) {
    /// A thread that waits with a lock in its hand is the cause if it waits at least half of the
    /// time that the others wait for the lock.
    private static final double HOLDS_SHARE = 0.5;

    /// Whether a part is the cause of what grew.
    interface Cause {
        boolean test(Growth growth, Share share);
    }

    /// A part in which threads wait. If a thread has a lock meanwhile, as in many logs, the others
    /// wait for that lock, and one thread is in that part most of the time.
    Judgement judge(
            Observation observation, Symptoms symptoms, Judgements others, WaitFigure figure) {
        return judge(
                observation,
                symptoms,
                others,
                (growth, share) ->
                        growth.isCause(share)
                                || (mostlyOne(observation, figure)
                                        && growth.isCauseWithItsLock(share)));
    }

    private static boolean mostlyOne(Observation observation, WaitFigure figure) {
        return observation
                .timeline()
                .all(figure, End.SERVER)
                .anyMatch(threads -> Budget.mean(threads) >= HOLDS_SHARE);
    }

    Judgement judge(Observation observation, Symptoms symptoms, Judgements others, Cause cause) {
        Judgement.Unknown unseen = ServerConcurrency.unknown(wall, observation);
        if (unseen != null) {
            return unseen;
        }
        Optional<Growth> known = Growth.of(observation);
        if (known.isEmpty()) {
            return new Judgement.Unknown(wall, Missing.ALONE);
        }
        Growth growth = known.get();
        List<Share> shares = growth.of(part);
        if (shares.isEmpty()) {
            return part == Part.DEPENDENCY
                    ? new Judgement.Clear(wall, "no answer was seen to wait for another service")
                    : new Judgement.Unknown(wall, Missing.READINGS);
        }
        Share most = shares.getFirst();
        if (!growth.knowsAlone(most)) {
            return new Judgement.Unknown(wall, Missing.ALONE);
        }
        String not = contradiction(growth, most, symptoms, others, cause);
        return not == null
                ? new Judgement.Binds(
                        wall, End.SERVER, harm(symptoms), evidence(observation, growth, most))
                : new Judgement.Clear(wall, summary(growth, most) + not);
    }

    private @Nullable String contradiction(
            Growth growth, Share most, Symptoms symptoms, Judgements others, Cause cause) {
        if (!cause.test(growth, most)) {
            return growth.matters(most) ? ", but other parts of an answer grew more" : "";
        }
        if (!symptoms.surelyStopped()) {
            return ", but the load had no harm";
        }
        if (symptoms.cpuSaturated()) {
            return ", but the CPU was busy: " + symptoms.cpu().describe();
        }
        String because = others.cause(wall.id());
        return because == null ? null : ", but " + because;
    }

    private static Harm harm(Symptoms symptoms) {
        return symptoms.throughputBends() ? Harm.THROUGHPUT : Harm.LATENCY;
    }

    private String summary(Growth growth, Share share) {
        return "an answer %s for %s".formatted(share.does(), growth.describe(share));
    }

    private List<Evidence> evidence(Observation observation, Growth growth, Share share) {
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(growth.evidence(share, counted, summary(growth, share)));
        evidence.addAll(CpuEvidence.used(observation, End.SERVER));
        return evidence;
    }
}
