package wallfinder.observation;

/// The values of one counter, one for each instant of the timeline; `NaN` if it could not be read.
@SuppressWarnings("ArrayRecordComponent") // read-only by convention, to avoid copies
public record Series(Counter counter, double[] values) {
    public End end() {
        return counter.end();
    }

    /// The service, port or destination of the figure.
    public String subject() {
        if (counter.key() instanceof Key.Of of) {
            return of.subject();
        }
        throw new IllegalStateException(counter.name() + " is a figure of an end");
    }

    /// The first value that was read, or `NaN`.
    public double first() {
        for (double value : values) {
            if (!Double.isNaN(value)) {
                return value;
            }
        }
        return Double.NaN;
    }

    /// The last value that was read, or `NaN`.
    public double last() {
        for (int i = values.length - 1; i >= 0; i--) {
            if (!Double.isNaN(values[i])) {
                return values[i];
            }
        }
        return Double.NaN;
    }

    /// The largest value that was read, or `NaN`.
    public double max() {
        double max = Double.NaN;
        for (double value : values) {
            if (!Double.isNaN(value) && !(value <= max)) {
                max = value;
            }
        }
        return max;
    }

    /// The last value minus the first, or `NaN`.
    public double growth() {
        return last() - first();
    }
}
