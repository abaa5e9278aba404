package wallfinder.experiment;

/// A setting that an experiment can change.
public sealed interface Setting {
    /// The name in reports: that of the knob or the sysctl, or `service.limit`.
    String name();

    /// A knob of a service.
    record OfKnob(String service, String name) implements Setting {}

    /// A sysctl of one end's network namespace.
    record OfSysctl(boolean server, String name) implements Setting {}

    /// An option of a service's JVM, such as `web.heap`, or the JVM itself.
    record OfJvm(String service, JvmOption.Kind kind) implements Setting {
        @Override
        public String name() {
            return service + "." + kind.word();
        }
    }

    /// The name servers of one end.
    record OfResolver(boolean server) implements Setting {
        @Override
        public String name() {
            return "resolver";
        }
    }

    /// A limit of a service, such as `web.cpus`.
    record OfLimit(String service, Limits.Kind kind) implements Setting {
        @Override
        public String name() {
            return service + "." + kind.word();
        }
    }
}
