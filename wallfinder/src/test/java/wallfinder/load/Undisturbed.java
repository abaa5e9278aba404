package wallfinder.load;

import java.io.IOException;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import wallfinder.linux.Affinity;
import wallfinder.linux.TimerSlack;
import wallfinder.sandbox.OwnCpus;

/// Gives a thread a CPU immediately if this user may, so that other programs do not disturb its
/// measurement. All such threads share one CPU, so that waking one needs no interrupt between
/// processors.
final class Undisturbed {
    private static final int SECONDS_MAX = 10;

    private Undisturbed() {}

    /// Applies to the calling thread from now on.
    static void here() {
        TimerSlack.minimize();
        BitSet last = new BitSet();
        last.set(OwnCpus.allowed().length() - 1);
        Affinity.pin(last);
        try {
            // Real-time priority, first in first out, before all ordinary programs (util-linux).
            Process chrt =
                    new ProcessBuilder(
                                    "chrt", "-f", "-p", "20", Integer.toString(Affinity.threadId()))
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            chrt.waitFor(SECONDS_MAX, TimeUnit.SECONDS);
        } catch (IOException e) {
            // Without the program, the thread shares its CPU with all others.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
