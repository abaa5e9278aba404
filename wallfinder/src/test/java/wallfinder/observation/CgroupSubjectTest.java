package wallfinder.observation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CgroupSubjectTest {
    @ParameterizedTest
    @CsvSource({
        "web, web, ITSELF, ''",
        "web in pod7, web, AROUND, pod7",
        "app of web, web, INSIDE, app",
    })
    void the_text_says_which_group_it_is(
            String text, String service, CgroupSubject.Place place, String group) {
        CgroupSubject subject = CgroupSubject.parse(text);
        assertThat(subject).isEqualTo(new CgroupSubject(service, place, group));
        assertThat(subject.text()).isEqualTo(text);
    }
}
