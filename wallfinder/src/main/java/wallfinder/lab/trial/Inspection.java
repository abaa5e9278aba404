package wallfinder.lab.trial;

/// How closely the services of a trial are watched.
///
/// @param asksJvms false if the trial measures a service's memory, because answers use memory
/// @param life the service whose samples are kept from its start on; empty for none
/// @param census whether to ask the JVM of that service for its memory, under the load and after it
public record Inspection(boolean asksJvms, String life, boolean census) {
    static final Inspection USUAL = new Inspection(true, "", false);

    /// Nothing that uses memory of the services.
    static final Inspection FROM_OUTSIDE = new Inspection(false, "", false);

    /// Of one service from its start on.
    public static Inspection ofLife(String service, boolean census) {
        return new Inspection(false, service, census);
    }

    public boolean keepsLife() {
        return !life.isEmpty();
    }
}
