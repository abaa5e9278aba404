/// An extension of JUnit that measures a service with Wallfinder and asserts what it found.
module wallfinder.junit {
    requires transitive org.junit.jupiter.api;
    requires transitive org.jspecify;
    requires org.opentest4j;
    requires tools.jackson.databind;

    exports wallfinder.junit;
}
