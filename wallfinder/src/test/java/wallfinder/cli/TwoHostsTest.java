package wallfinder.cli;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// A test of the program with a second host, which is a namespace with a real sshd.
abstract class TwoHostsTest extends ProgramTest {
    SshBed bed;

    @BeforeEach
    void two_hosts() throws Exception {
        bed = new SshBed(folder);
    }

    @AfterEach
    void nothing_is_left_on_the_other_host() throws Exception {
        if (bed != null) {
            bed.close();
        }
    }
}
