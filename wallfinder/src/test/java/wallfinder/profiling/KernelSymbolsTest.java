package wallfinder.profiling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// What a thread is in the kernel for.
class KernelSymbolsTest {
    @Test
    void the_function_that_begins_a_system_call_has_its_name() {
        assertThat(KernelSymbols.purpose("__x64_sys_sendto")).contains("sendto");
        assertThat(KernelSymbols.purpose("__arm64_sys_write")).contains("write");
        assertThat(KernelSymbols.purpose("__do_sys_clone3")).contains("clone3");
        assertThat(KernelSymbols.purpose("ksys_read")).contains("read");
        assertThat(KernelSymbols.purpose("asm_exc_page_fault")).contains("page faults");
        assertThat(KernelSymbols.purpose("asm_sysvec_apic_timer_interrupt")).contains("interrupts");
        assertThat(KernelSymbols.purpose("tcp_sendmsg")).isEmpty();
    }
}
