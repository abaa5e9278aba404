package wallfinder.lab.trial;

import java.util.List;
import wallfinder.observation.Caveat;
import wallfinder.observation.JvmFacts;
import wallfinder.observation.SandboxFacts;

/// Doubts about JVMs without an archive of classes: they start later and need more memory.
final class ClassArchiveDoubts {
    private ClassArchiveDoubts() {}

    static List<Caveat> of(List<SandboxFacts.ServiceFacts> programs) {
        return programs.stream()
                .filter(program -> program.runtime() != null && !program.runtime().usesArchive())
                .map(program -> of(program.name(), program.runtime()))
                .toList();
    }

    private static Caveat of(String program, JvmFacts runtime) {
        return new Caveat(
                "no-class-archive:" + program,
                "the JVM of %s, %s, used %s: its start and its memory do not compare with those of one that has an archive of classes; java -Xshare:dump makes one"
                        .formatted(program, runtime.version(), runtime.archive()));
    }
}
