package wallfinder.experiment;

/// Something an experiment can turn.
public sealed interface Setting {
    /// The name it is told by: the knob's, the sysctl's, or `service.limit`.
    String name();

    /// A knob of a service.
    record OfKnob(String service, String knob) implements Setting {
        @Override
        public String name() {
            return knob;
        }
    }

    /// A sysctl of one end's network namespace.
    record OfSysctl(boolean server, String sysctl) implements Setting {
        @Override
        public String name() {
            return sysctl;
        }
    }

    /// An option of a service's JVM, such as `web.heap`, or the JVM itself.
    record OfJvm(String service, JvmOption.Kind kind) implements Setting {
        @Override
        public String name() {
            return service + "." + kind.word();
        }
    }

    /// Whom one end of the sandbox asks for names.
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
