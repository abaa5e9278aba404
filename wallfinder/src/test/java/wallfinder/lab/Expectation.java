package wallfinder.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.WallId;

/// The expected verdict: `none`, `unnamed`, `near WALL`, or `WALL END [HARM]`.
///
/// @param verdict [Verdict#INVALID] for the generator's own wall
/// @param wall null for `none` and `unnamed`
/// @param end as in `run.json`, or empty
/// @param harm as in `run.json`, or empty for any
/// @param also walls that must bind, too
/// @param maybe walls that may bind, too
/// @param not walls that must be ruled out
record Expectation(
        Verdict verdict,
        @Nullable String wall,
        String end,
        String harm,
        List<String> also,
        List<String> maybe,
        List<String> not) {
    private static final String NEAR = "near ";

    static Expectation of(String expects, List<String> also, List<String> maybe, List<String> not) {
        Stream.of(also, maybe, not).flatMap(List::stream).forEach(Expectation::known);
        String[] words = expects.split(" +");
        if (expects.equals("none") || expects.equals("unnamed")) {
            Verdict verdict = Verdict.valueOf(expects.toUpperCase(Locale.ROOT));
            return new Expectation(verdict, null, "", "", also, maybe, not);
        }
        if (words.length < 2) {
            throw new IllegalArgumentException("'" + expects + "' is not an expectation");
        }
        if (expects.startsWith(NEAR)) {
            String near = known(words[1]);
            return new Expectation(Verdict.NONE, near, "", "", also, maybe, not);
        }
        boolean generator = known(words[0]).equals("load-generator");
        return new Expectation(
                generator ? Verdict.INVALID : Verdict.NAMED,
                words[0],
                words[1],
                words.length > 2 ? words[2] : "",
                also,
                maybe,
                not);
    }

    private static String known(String wall) {
        if (!WallId.WORDS.contains(wall)) {
            throw new IllegalArgumentException("there is no wall '" + wall + "'");
        }
        return wall;
    }

    private boolean near() {
        return verdict == Verdict.NONE && wall != null;
    }

    /// The name of its row in the matrix.
    String text() {
        if (wall == null) {
            return verdict.word();
        }
        return near() ? NEAR + wall : wall + " " + end;
    }

    /// A diagnosis in the words of [#text].
    String textOf(Diagnosis diagnosis) {
        Judgement.Binds headline = diagnosis.headline();
        if (headline != null) {
            return headline.wall().id().word() + " " + headline.end().word();
        }
        return near() && hasCaveat(diagnosis) && diagnosis.verdict() == Verdict.NONE
                ? text()
                : diagnosis.verdict().word();
    }

    private boolean hasCaveat(Diagnosis diagnosis) {
        return diagnosis.caveats().stream().anyMatch(c -> c.id().equals("near:" + wall));
    }

    /// What is wrong with a diagnosis; empty if it is right.
    List<String> wrong(Diagnosis diagnosis) {
        List<String> wrong = new ArrayList<>();
        Judgement.Binds headline = diagnosis.headline();
        if (diagnosis.verdict() != verdict || !textOf(diagnosis).equals(text())) {
            wrong.add("it is " + diagnosis.verdict().word() + ": " + textOf(diagnosis));
        }
        if (headline != null && headline.evidence().isEmpty()) {
            wrong.add("no evidence");
        }
        Harm harmed = headline == null ? null : headline.harm();
        if (harmed != null && !harm.isEmpty() && !harmed.word().equals(harm)) {
            wrong.add("harms " + harmed.word());
        }
        List<String> besides = diagnosis.also().stream().map(b -> b.wall().id().word()).toList();
        also.stream()
                .filter(id -> !besides.contains(id))
                .forEach(id -> wrong.add(id + " does not bind"));
        besides.stream()
                .filter(id -> !also.contains(id) && !maybe.contains(id))
                .forEach(id -> wrong.add(id + " binds, too"));
        List<String> out = diagnosis.ruledOut().stream().map(r -> r.wall().id().word()).toList();
        not.stream()
                .filter(id -> !out.contains(id))
                .forEach(id -> wrong.add(id + " is not ruled out"));
        return wrong;
    }
}
