package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.Caveat;
import wallfinder.observation.Observation;

/// The judgement of one measurement.
///
/// @param headline the wall it is told by, if there is one
/// @param also the other walls that bind at the same time
/// @param seen for [Verdict#UNNAMED], what was seen; else null
public record Diagnosis(
        Verdict verdict,
        Judgement.@Nullable Binds headline,
        List<Judgement.Binds> also,
        List<RuledOut> ruledOut,
        @Nullable String seen,
        List<Caveat> caveats) {

    public static Diagnosis of(Observation observation) {
        Symptoms symptoms = Symptoms.of(observation);
        List<Judgement.Binds> binds = new ArrayList<>();
        List<RuledOut> ruledOut = new ArrayList<>();
        List<Caveat> caveats = new ArrayList<>(Doubts.of(observation, symptoms));
        for (Wall wall : Walls.ALL) {
            switch (judged(wall, observation, symptoms)) {
                case Judgement.Binds bound -> binds.add(bound);
                case Judgement.Near near -> {
                    ruledOut.add(new RuledOut(wall, near.because()));
                    caveats.add(new Caveat("near:" + wall.id(), near.because()));
                }
                case Judgement.Clear clear -> ruledOut.add(new RuledOut(wall, clear.because()));
            }
        }
        return conclude(observation, symptoms, binds, ruledOut, caveats);
    }

    private static Judgement judged(Wall wall, Observation observation, Symptoms symptoms) {
        Judgement judgement = wall.judge(observation, symptoms);
        return judgement instanceof Judgement.Binds binds && !observation.load().seen()
                ? Watched.judge(binds, observation)
                : judgement;
    }

    public Optional<String> wallId() {
        return Optional.ofNullable(headline).map(binds -> binds.wall().id());
    }

    private static Diagnosis conclude(
            Observation observation,
            Symptoms symptoms,
            List<Judgement.Binds> binds,
            List<RuledOut> ruledOut,
            List<Caveat> caveats) {
        if (binds.isEmpty()) {
            boolean stopped = symptoms.stopped();
            return new Diagnosis(
                    stopped ? Verdict.UNNAMED : Verdict.NONE,
                    null,
                    List.of(),
                    List.copyOf(ruledOut),
                    stopped ? Seen.tell(observation, symptoms) : null,
                    List.copyOf(caveats));
        }
        Judgement.Binds headline = binds.getFirst();
        boolean invalid = headline.wall() instanceof LoadGenerator;
        // What else the figures seem to say is not worth telling when they are the generator's own.
        return new Diagnosis(
                invalid ? Verdict.INVALID : Verdict.NAMED,
                headline,
                invalid ? List.of() : List.copyOf(binds.subList(1, binds.size())),
                List.copyOf(ruledOut),
                null,
                List.copyOf(caveats));
    }
}
