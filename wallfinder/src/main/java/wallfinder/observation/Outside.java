package wallfinder.observation;

/// Answers, and parts of answers, that do not count for the rate. In a closed loop, an exchange
/// that began before the measured time or ended after it counts for the part that lies in it. So a
/// slow last answer does not lower the rate, and a slow service has no steps. In an open loop, an
/// answer counts if it came in the measured time: a service that falls behind answers the rest
/// later.
///
/// @param nanos the time of these parts, in a closed loop
public record Outside(double good, double bad, double nanos) {
    public static final Outside NONE = new Outside(0, 0, 0);

    public Outside plus(Outside other) {
        return new Outside(good + other.good, bad + other.bad, nanos + other.nanos);
    }
}
