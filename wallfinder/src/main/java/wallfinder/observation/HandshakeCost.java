package wallfinder.observation;

/// The CPU time that a service needs for a full TLS handshake, measured without load. The services
/// first rested, then got connections that were closed at once, then connections with a handshake
/// and no request, one after the other.
public record HandshakeCost(Phase rest, Phase connects, Phase handshakes) {
    /// Below this a figure means little: the kernel gives CPU time in steps of 0.01 s.
    private static final double CPU_SECONDS_MIN = 0.05;

    /// @param count connections; 0 while the services rested
    /// @param cpuSeconds of all services, without JIT compilers; `NaN` if they were hidden
    public record Phase(long count, double seconds, double cpuSeconds) {}

    /// Whether the handshakes used enough CPU time to be measured.
    public boolean measured() {
        return handshakes.count > 0
                && connects.count > 0
                && rest.seconds > 0
                && rest.cpuSeconds >= 0
                && connects.cpuSeconds >= 0
                && handshakes.cpuSeconds >= CPU_SECONDS_MIN;
    }

    /// CPU time of one handshake, without that of its connection and without what the services use
    /// anyway.
    public double cpuSecondsEach() {
        return Math.max(0, each(handshakes) - Math.max(0, each(connects)));
    }

    private double each(Phase phase) {
        double anyway = rest.cpuSeconds / rest.seconds * phase.seconds;
        return (phase.cpuSeconds - anyway) / phase.count;
    }
}
