package wallfinder.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/// A test that measures. Its method may have a parameter of the type [Wallfinder].
///
/// While it runs, JUnit runs no other test of this JVM, because another test would take CPU time
/// from the service. Its tag is `wallfinder`, so that a quick build can leave it out.
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Test
@Tag("wallfinder")
@ResourceLock(Resources.GLOBAL)
@ExtendWith(WallfinderExtension.class)
public @interface LoadTest {}
