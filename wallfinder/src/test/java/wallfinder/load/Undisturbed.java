package wallfinder.load;

import java.io.IOException;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import wallfinder.linux.Affinity;
import wallfinder.linux.TimerSlack;
import wallfinder.sandbox.OwnCpus;

/// Gives a thread a CPU whenever it wants one, where that is allowed: what else runs on this host
/// is then not in what it measures. All such threads are on one CPU, so that one wakes the other
/// without a word between processors.
final class Undisturbed {
    private static final int SECONDS_MAX = 10;

    private Undisturbed() {}

    /// For the calling thread, from now on.
    static void here() {
        TimerSlack.minimize();
        BitSet last = new BitSet();
        last.set(OwnCpus.allowed().length() - 1);
        Affinity.pin(last);
        try {
            // Real time, first in first out, before all that ordinary programs use (util-linux).
            Process chrt =
                    new ProcessBuilder(
                                    "chrt", "-f", "-p", "20", Integer.toString(Affinity.threadId()))
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            chrt.waitFor(SECONDS_MAX, TimeUnit.SECONDS);
        } catch (IOException e) {
            // No such program: the thread shares its CPU with all others.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
