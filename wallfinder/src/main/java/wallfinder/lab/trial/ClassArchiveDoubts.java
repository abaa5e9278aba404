package wallfinder.lab.trial;

import java.util.List;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
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
        return Doubt.NO_CLASS_ARCHIVE.about(program, program, runtime.version(), runtime.archive());
    }
}
