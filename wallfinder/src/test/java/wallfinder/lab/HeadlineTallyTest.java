package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import wallfinder.Tree;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.study.Study;

/// `bench/diagnosis --stability` counts equal headlines.
class HeadlineTallyTest {
    private static final double SECONDS_MAX = 15;

    private final HeadlineTally tally = new HeadlineTally();

    private void add(String name, int times, String headline) {
        IntStream.range(0, times).forEach(i -> tally.add(name, "expects none", headline, false));
    }

    @Test
    void the_share_of_a_case_is_that_of_its_most_frequent_headline() {
        add("one", 5, "none");
        add("two", 2, "unnamed");
        add("two", 3, "named cpu server");
        assertThat(tally.share()).isEqualTo(0.8);
        assertThat(tally.isStable()).isFalse();
        assertThat(tally.summary())
                .contains("3 of  5  3 named cpu server, 2 unnamed")
                .contains("overall: 8 of 10 ")
                .contains("(80.0 %");
    }

    @Test
    void only_cases_below_ninety_percent_are_listed_for_an_explanation() {
        add("nine of ten", 9, "none");
        add("nine of ten", 1, "unnamed");
        add("eight of nine", 8, "none");
        add("eight of nine", 1, "unnamed");
        assertThat(tally.summary().lines().filter(line -> line.startsWith("  ")))
                .containsExactly("  eight of nine (expects none): 8 none, 1 unnamed");
    }

    @Test
    void ninety_eight_of_a_hundred_are_stable_and_ninety_seven_are_not() {
        add("a", 98, "none");
        add("a", 2, "unnamed");
        assertThat(tally.isStable()).isTrue();
        add("b", 97, "none");
        add("b", 3, "unnamed");
        assertThat(tally.isStable()).isFalse();
    }

    @Test
    void starved_measurements_are_left_out_whatever_their_headline() {
        add("one", 4, "none");
        tally.add("one", "expects none", "none", true);
        tally.add("one", "expects none", "unnamed", true);
        assertThat(tally.share()).isEqualTo(1);
        assertThat(tally.summary())
                .contains("4 of  4  4 none")
                .contains("2 more got too little CPU")
                .contains("with them it is 5 of 6 (83.3 %)");
    }

    @Test
    void a_case_that_was_starved_each_time_is_not_stable() {
        add("one", 99, "none");
        tally.add("two", "expects none", "none", true);
        assertThat(tally.isStable()).isFalse();
        assertThat(tally.summary())
                .contains("  two (expects none): too little CPU each time, with 1 none");
    }

    @Test
    void a_tally_without_measurements_is_not_stable() {
        assertThat(tally.isStable()).isFalse();
        assertThat(tally.share()).isZero();
    }

    @Test
    void a_headline_is_new_until_its_case_had_it() {
        assertThat(tally.isNew("one", "none")).isTrue();
        add("one", 1, "none");
        assertThat(tally.isNew("one", "none")).isFalse();
        assertThat(tally.isNew("one", "unnamed")).isTrue();
        assertThat(tally.isNew("two", "none")).isTrue();
    }

    @Test
    void each_repeated_case_and_cell_has_a_unique_name() throws Exception {
        List<Repeated> all = Repeated.all(Tree.ROOT, 1);
        Stream<String> cases = CatalogueCase.all(Tree.ROOT, 1).stream().map(CatalogueCase::name);
        assertThat(all.stream().map(Repeated::name))
                .doesNotHaveDuplicates()
                .containsAll(cases.toList())
                .contains("webflux-event-loops-1", "webflux-event-loops-8", "webflux-backlog-12");
        assertThat(all.stream().map(Repeated::group)).containsAll(Repeated.STUDIES);
    }

    @Test
    void the_trials_of_repeated_studies_are_short() {
        for (String study : Repeated.STUDIES) {
            Path file = Tree.ROOT.resolve("experiments").resolve(study + ".yaml");
            assertThat(Study.read(file).cells())
                    .as(study)
                    .allSatisfy(cell -> {
                        LoadSpec.Http http = (LoadSpec.Http) cell.experiment().load();
                        double seconds = http.duration().toMillis() / 1e3;
                        assertThat(seconds).isLessThanOrEqualTo(SECONDS_MAX);
                    });
        }
    }
}
