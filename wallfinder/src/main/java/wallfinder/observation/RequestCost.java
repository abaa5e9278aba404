package wallfinder.observation;

/// What one request and one connection cost a service, as a few of them showed; `NaN` where it is
/// not known.
///
/// @param seconds how long a request takes when it is alone
/// @param cpuSeconds the CPU time that the service spends on it
/// @param settled whether the CPU time is not likely to get less: what a JVM or another compiler
///   has not compiled yet costs many times as much
/// @param threads how many threads the service makes for a connection
/// @param descriptors how many descriptors it opens for a connection
public record RequestCost(
        double seconds, double cpuSeconds, boolean settled, double threads, double descriptors) {
    public static final RequestCost UNKNOWN =
            new RequestCost(Double.NaN, Double.NaN, true, Double.NaN, Double.NaN);
}
