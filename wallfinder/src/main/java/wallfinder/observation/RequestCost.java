package wallfinder.observation;

/// What a request and a connection cost a service, measured on a few of them; `NaN` if unknown.
///
/// @param seconds how long a request takes without other load
/// @param cpuSeconds the CPU time of the service for a request
/// @param settled false if the CPU time may still fall, because a JIT compiler is at work
/// @param threads new threads for each connection
/// @param descriptors new descriptors for each connection
public record RequestCost(
        double seconds, double cpuSeconds, boolean settled, double threads, double descriptors) {
    public static final RequestCost UNKNOWN =
            new RequestCost(Double.NaN, Double.NaN, true, Double.NaN, Double.NaN);
}
