package wallfinder;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.PackageTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/// The parts of a source file, as the compiler's parser sees them.
///
/// @param declared the names of classes, methods and variables that are declared in it
/// @param literals its string literals
record Source(
        Path file,
        String packageName,
        List<Method> methods,
        List<Word> declared,
        List<Word> literals) {

    record Method(String name, long line, long lines) {}

    record Word(String text, long line) {}

    static List<Source> parsed(List<Path> files) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task =
                    (JavacTask)
                            compiler.getTask(
                                    null,
                                    manager,
                                    null,
                                    List.of(),
                                    null,
                                    manager.getJavaFileObjectsFromPaths(files));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            List<Source> sources = new ArrayList<>();
            for (CompilationUnitTree unit : task.parse()) {
                sources.add(new Scanner(unit, positions).scanned());
            }
            return sources;
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static final class Scanner extends TreeScanner<Void, Void> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final List<Method> methods = new ArrayList<>();
        private final List<Word> declared = new ArrayList<>();
        private final List<Word> literals = new ArrayList<>();

        Scanner(CompilationUnitTree unit, SourcePositions positions) {
            this.unit = unit;
            this.positions = positions;
        }

        Source scanned() {
            scan(unit, null);
            PackageTree in = unit.getPackage();
            return new Source(
                    Path.of(unit.getSourceFile().toUri()),
                    in == null ? "" : in.getPackageName().toString(),
                    methods,
                    declared,
                    literals);
        }

        @Override
        public Void visitMethod(MethodTree method, Void none) {
            long start = line(positions.getStartPosition(unit, method));
            // A constructor that the compiler wrote has no end.
            long end = positions.getEndPosition(unit, method);
            long lines = end < 0 ? 1 : line(end) - start + 1;
            methods.add(new Method(method.getName().toString(), start, lines));
            declared.add(new Word(method.getName().toString(), start));
            return super.visitMethod(method, none);
        }

        @Override
        public Void visitClass(ClassTree type, Void none) {
            long start = line(positions.getStartPosition(unit, type));
            declared.add(new Word(type.getSimpleName().toString(), start));
            return super.visitClass(type, none);
        }

        @Override
        public Void visitVariable(VariableTree variable, Void none) {
            long start = line(positions.getStartPosition(unit, variable));
            declared.add(new Word(variable.getName().toString(), start));
            return super.visitVariable(variable, none);
        }

        @Override
        public Void visitLiteral(LiteralTree literal, Void none) {
            if (literal.getValue() instanceof String text) {
                literals.add(new Word(text, line(positions.getStartPosition(unit, literal))));
            }
            return super.visitLiteral(literal, none);
        }

        private long line(long position) {
            return position < 0 ? 0 : unit.getLineMap().getLineNumber(position);
        }
    }
}
