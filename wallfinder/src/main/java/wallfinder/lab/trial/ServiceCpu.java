package wallfinder.lab.trial;

import java.util.List;
import wallfinder.observation.Counter;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.Key;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Reader;

/// Reads the CPU time that the services have used so far.
///
/// @param readers of the services' processes and JVMs; [#close] closes them
record ServiceCpu(List<Reader> readers) implements AutoCloseable {
    /// @param seconds of all threads; `NaN` if all processes are hidden
    /// @param compilerSeconds the part of it that the JIT compilers used
    record Used(double seconds, double compilerSeconds) {
        Used since(Used before) {
            return new Used(
                    seconds - before.seconds,
                    Math.max(0, compilerSeconds - before.compilerSeconds));
        }
    }

    Used read() {
        double seconds = Double.NaN;
        double compilerSeconds = 0;
        for (Reader reader : readers) {
            List<Counter> counters = reader.counters();
            double[] values = new double[counters.size()];
            reader.read(values, 0);
            for (int i = 0; i < values.length; i++) {
                Key key = counters.get(i).key();
                if (key.isOf(ProcessFigure.CPU) && !Double.isNaN(values[i])) {
                    seconds = Double.isNaN(seconds) ? values[i] : seconds + values[i];
                } else if (key.isOf(JvmFigure.COMPILER_CPU) && !Double.isNaN(values[i])) {
                    compilerSeconds += values[i];
                }
            }
        }
        return new Used(seconds, compilerSeconds);
    }

    @Override
    public void close() {
        readers.forEach(Reader::close);
    }
}
