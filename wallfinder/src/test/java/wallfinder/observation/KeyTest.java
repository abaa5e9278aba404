package wallfinder.observation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyTest {
    private static List<Key> declared() {
        List<Key> keys = new ArrayList<>(List.of(EndFigure.values()));
        keys.addAll(List.of(LoadFigure.values()));
        for (Class<?> family : Figure.class.getPermittedSubclasses()) {
            for (Object figure : family.getEnumConstants()) {
                keys.add(((Figure) figure).of("a[1].b"));
            }
        }
        return keys;
    }

    @Test
    void every_declared_figure_is_read_back_from_its_name() {
        assertThat(declared())
                .hasSizeGreaterThan(70)
                .allSatisfy(key -> assertThat(Key.parse(key.text())).isEqualTo(key))
                .extracting(Key::text)
                .doesNotHaveDuplicates()
                .contains("cpus.busy", "generator.cpu", "process[a[1].b].busiestThread");
    }

    @Test
    void every_other_name_is_a_kernel_counter() {
        assertThat(Key.parse("TcpExt.ListenOverflows")).isEqualTo(KernelCounter.LISTEN_OVERFLOWS);
        for (String name : List.of("IpExt.InOctets", "process[web].colour", "][", "")) {
            assertThat(Key.parse(name)).isEqualTo(new KernelCounter(name));
        }
    }

    @Test
    void the_form_of_a_kernel_counter_follows_from_its_name() {
        assertThat(KernelCounter.RETRANSMITS.form())
                .isEqualTo(Form.total("Tcp.RetransSegs", Unit.COUNT));
        assertThat(KernelCounter.of("Tcp", "CurrEstab").form())
                .isEqualTo(Form.level("Tcp.CurrEstab", Unit.COUNT));
        assertThat(KernelCounter.TCP_PAGES.form())
                .isEqualTo(Form.level("sockstat.TCP.mem", Unit.PAGES));
        assertThat(KernelCounter.of("IpExt", "InOctets").form())
                .isEqualTo(Form.total("IpExt.InOctets", Unit.BYTES));
    }
}
