package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;

/// The judgement of one measurement.
///
/// @param headline the wall that is named first, if any
/// @param also the other walls that bind at the same time
/// @param ruledOut the walls that are ruled out, near or unknown
/// @param seen for [Verdict#UNNAMED], what was seen; for [Verdict#INVALID], which requests failed
///   if no wall explains them; otherwise null
public record Diagnosis(
        Verdict verdict,
        Judgement.@Nullable Binds headline,
        List<Judgement.Binds> also,
        List<Judgement.NotBinding> ruledOut,
        @Nullable String seen,
        List<Caveat> caveats) {

    public static Diagnosis of(Observation observation) {
        Symptoms symptoms = Symptoms.of(observation);
        List<Judgement.Binds> binds = new ArrayList<>();
        List<Judgement.NotBinding> ruledOut = new ArrayList<>();
        List<Caveat> caveats = new ArrayList<>(Doubts.of(observation, symptoms));
        Judgements judgements = new Judgements(observation, symptoms);
        for (Wall wall : Walls.ALL) {
            switch (judged(wall, observation, judgements)) {
                case Judgement.Binds bound -> binds.add(bound);
                case Judgement.Near near -> {
                    ruledOut.add(near);
                    caveats.add(new Caveat.Near(wall.id(), near.because()));
                }
                case Judgement.Clear clear -> ruledOut.add(clear);
                case Judgement.Unknown unknown -> ruledOut.add(unknown);
            }
        }
        return conclude(observation, symptoms, binds, ruledOut, caveats);
    }

    private static Judgement judged(Wall wall, Observation observation, Judgements judgements) {
        Judgement judgement = judgements.of(wall.id());
        boolean unseen = observation.load() instanceof LoadOutcome.Unseen;
        boolean looked = wall.seen(observation);
        return switch (judgement) {
            case Judgement.Binds binds when unseen -> WatchedJudgement.judge(binds, observation);
            case Judgement.Binds(Wall _, End end, Harm harm, List<Evidence> evidence)
                    when harm == Harm.THROUGHPUT && Symptoms.keepsUp(observation.load()) ->
                    new Judgement.Binds(wall, end, Harm.LATENCY, evidence);
            case Judgement.Clear _, Judgement.Unknown _ when !looked ->
                    new Judgement.Unknown(wall, Missing.SERVER);
            case Judgement.Binds _, Judgement.Near _, Judgement.Clear _, Judgement.Unknown _ ->
                    judgement;
        };
    }

    public Optional<String> wallId() {
        return Optional.ofNullable(headline).map(binds -> binds.wall().id().word());
    }

    private static Diagnosis conclude(
            Observation observation,
            Symptoms symptoms,
            List<Judgement.Binds> binds,
            List<Judgement.NotBinding> ruledOut,
            List<Caveat> caveats) {
        // A wall that the kernel counted is named even if a single request gets a bad answer on its
        // own.
        boolean pointless =
                observation.load().answers().mostlyBadAlone()
                        && binds.stream().noneMatch(one -> one.wall().proof(one) == Proof.KERNEL);
        if (binds.isEmpty() || pointless) {
            Optional<SlowStart> cold =
                    symptoms.surelyStopped()
                            ? SlowStart.of(observation, symptoms)
                            : Optional.empty();
            cold.ifPresent(start -> caveats.add(start.caveat()));
            boolean stopped = symptoms.surelyStopped() && !pointless && cold.isEmpty();
            return new Diagnosis(
                    stopped ? Verdict.UNNAMED : Verdict.NONE,
                    null,
                    List.of(),
                    List.copyOf(ruledOut),
                    stopped ? UnexplainedStop.describe(observation, symptoms) : null,
                    List.copyOf(caveats));
        }
        Judgement.Binds headline = first(binds);
        List<Judgement.Binds> others = binds.stream().filter(one -> !one.equals(headline)).toList();
        if (headline.wall() instanceof LoadGenerator) {
            return invalid(observation, symptoms, headline, others, ruledOut, caveats);
        }
        return new Diagnosis(
                Verdict.NAMED,
                headline,
                List.copyOf(others),
                List.copyOf(ruledOut),
                null,
                List.copyOf(caveats));
    }

    /// The first one, unless only timing proves it, it harms only the latency, and another wall
    /// stops the rate or makes requests fail. The generator's limit spoils the figures of all
    /// others.
    private static Judgement.Binds first(List<Judgement.Binds> binds) {
        Judgement.Binds first = binds.getFirst();
        boolean slight =
                first.harm() == Harm.LATENCY
                        && first.wall().proof(first) == Proof.TIMING
                        && !(first.wall() instanceof LoadGenerator);
        return slight
                ? binds.stream().filter(one -> one.harm() != Harm.LATENCY).findFirst().orElse(first)
                : first;
    }

    /// A generator at its limit spoils rates and latencies, but not the kernel's counters or
    /// errors.
    private static Diagnosis invalid(
            Observation observation,
            Symptoms symptoms,
            Judgement.Binds headline,
            List<Judgement.Binds> others,
            List<Judgement.NotBinding> ruledOut,
            List<Caveat> caveats) {
        List<Judgement.Binds> proven =
                others.stream().filter(other -> other.wall().proof(other) != Proof.TIMING).toList();
        List<Judgement.NotBinding> out = new ArrayList<>(ruledOut);
        others.stream()
                .filter(other -> !proven.contains(other))
                .forEach(other -> out.add(new Judgement.Unknown(other.wall(), Missing.GENERATOR)));
        boolean explained =
                Stream.concat(Stream.of(headline), proven.stream())
                        .anyMatch(binds -> binds.harm() == Harm.ERRORS);
        return new Diagnosis(
                Verdict.INVALID,
                headline,
                proven,
                List.copyOf(out),
                symptoms.errorsBegin() && !explained
                        ? UnexplainedStop.errors(observation.load(), symptoms)
                        : null,
                List.copyOf(caveats));
    }
}
