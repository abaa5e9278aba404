package wallfinder.lab.trial;

import java.util.List;
import wallfinder.observation.Counter;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.Key;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Reader;

/// Reads the CPU time that the services have used so far.
final class ServiceCpu implements AutoCloseable {
    private final List<Reader> readers;

    /// @param readers of the services' processes and JVMs, closed with this
    ServiceCpu(List<Reader> readers) {
        this.readers = readers;
    }

    /// @param seconds of all threads, `NaN` if no process can be seen
    /// @param compilerSeconds of the JIT compilers, part of the former
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
