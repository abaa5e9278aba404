package wallfinder;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.LoadableConstantEntry;
import java.lang.classfile.constantpool.MethodHandleEntry;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.reflect.AccessFlag;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import wallfinder.cli.Main;

/// The product uses each of its methods, constructors, fields and constants, so no member exists
/// only for tests. The compiler checks private members.
class UnusedMembersTest {
    /// Members whose use no class file of the product shows, with the reason.
    private static final Map<String, String> USED_ELSEWHERE =
            Map.of(
                    "wallfinder/cli/Main.commands",
                    "the documents are checked against it",
                    "wallfinder/linux/SockDiag.countByState",
                    "the tests of synthetic TCP compare with the kernel",
                    "wallfinder/sampling/Sampler.cpuSeconds",
                    "bench/sampling prints what the sampler costs",
                    "wallfinder/sandbox/Sandbox.holderTid",
                    "tests start programs at an end by it",
                    "wallfinder/synthetic/Tcp.counts",
                    "the tests of TCP count packets",
                    "wallfinder/cli/SubjectOptions.<init>",
                    "picocli creates it",
                    "wallfinder/cli/WebPort.<init>",
                    "picocli creates it",
                    "wallfinder/load/TlsPlan.with",
                    "the tests of TLS choose the library",
                    "wallfinder/web/WebView.browsers",
                    "a test waits for its browser");

    private final Map<String, ClassModel> classes = new HashMap<>();
    private final Map<String, String> sources = new HashMap<>();
    private final Set<String> used = new HashSet<>();
    private final Set<String> unused = new TreeSet<>();

    @Test
    void each_member_of_the_product_is_used_by_the_product() throws Exception {
        readProduct();
        assertThat(classes).hasSizeGreaterThan(500);
        classes.values().forEach(this::addUses);
        classes.values().forEach(this::judge);
        assertThat(unused).isEqualTo(USED_ELSEWHERE.keySet());
    }

    private void readProduct() throws Exception {
        for (Path file : Tree.files("wallfinder/src/main/java", ".java")) {
            String name = Tree.shown(file).replaceFirst("wallfinder/src/main/java/", "");
            sources.put(name.replace(".java", ""), String.join("\n", Tree.lines(file)));
        }
        URI main = Main.class.getResource("Main.class").toURI();
        Path folder = Path.of(main).getParent().getParent().getParent();
        try (Stream<Path> files = Files.walk(folder.resolve("wallfinder"))) {
            for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
                String name = folder.relativize(file).toString().replace(".class", "");
                if (sources.containsKey(outermost(name)) && !name.endsWith("-info")) {
                    classes.put(name, parsed(file));
                }
            }
        }
    }

    private static ClassModel parsed(Path file) throws IOException {
        return ClassFile.of().parse(file);
    }

    private static String outermost(String name) {
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    private void addUses(ClassModel user) {
        for (MethodModel method : user.methods()) {
            String from = key(user, method);
            for (CodeElement element :
                    method.code().stream().flatMap(c -> c.elementStream()).toList()) {
                switch (element) {
                    case InvokeInstruction call ->
                            use(from, call.owner(), call.name() + "" + call.type());
                    case FieldInstruction field -> {
                        if (field.opcode() == Opcode.GETFIELD
                                || field.opcode() == Opcode.GETSTATIC) {
                            use(from, field.owner(), field.name().stringValue());
                        }
                    }
                    case InvokeDynamicInstruction dynamic ->
                            dynamic.invokedynamic()
                                    .bootstrap()
                                    .arguments()
                                    .forEach(argument -> use(from, argument));
                    default -> {}
                }
            }
        }
    }

    private void use(String from, LoadableConstantEntry argument) {
        if (argument instanceof MethodHandleEntry handle) {
            var member = handle.reference();
            use(from, member.owner(), member.name() + "" + member.type());
            use(from, member.owner(), member.name().stringValue());
        }
    }

    /// The declaring type may be any supertype of the type in the call.
    private void use(String from, ClassEntry owner, String member) {
        for (String type : above(owner.asInternalName())) {
            String key = type + "." + member;
            if (!key.equals(from)) {
                used.add(key);
            }
        }
    }

    /// A product class, and its superclasses and interfaces in the product.
    private Set<String> above(String name) {
        Set<String> all = new HashSet<>();
        ClassModel type = classes.get(name);
        if (type != null) {
            all.add(name);
            type.superclass().ifPresent(s -> all.addAll(above(s.asInternalName())));
            type.interfaces().forEach(i -> all.addAll(above(i.asInternalName())));
        }
        return all;
    }

    private void judge(ClassModel type) {
        for (MethodModel method : type.methods()) {
            if (!used.contains(key(type, method)) && !usedUnseen(type, method)) {
                unused.add(name(type) + "." + method.methodName());
            }
        }
        for (FieldModel field : type.fields()) {
            String name = field.fieldName().stringValue();
            if (!used.contains(name(type) + "." + name) && !usedUnseen(type, field)) {
                unused.add(name(type) + "." + name);
            }
        }
    }

    private boolean usedUnseen(ClassModel type, MethodModel method) {
        String name = method.methodName().stringValue();
        int parameters = method.methodTypeSymbol().parameterCount();
        return method.flags().has(AccessFlag.PRIVATE)
                || method.flags().has(AccessFlag.SYNTHETIC)
                || method.findAttribute(Attributes.runtimeVisibleAnnotations()).isPresent()
                || name.equals("<clinit>")
                || name.equals("main")
                || name.equals("<init>") && isMadeByPicocli(type)
                || isOfRecord(type, name, parameters)
                || isOfEnum(type, name)
                || overrides(type, name, parameters);
    }

    private static boolean isMadeByPicocli(ClassModel type) {
        return type.findAttribute(Attributes.runtimeVisibleAnnotations()).isPresent();
    }

    private static boolean isOfRecord(ClassModel type, String name, int parameters) {
        return type.findAttribute(Attributes.record())
                .map(record ->
                        record.components().stream()
                                        .anyMatch(
                                                c -> parameters == 0 && c.name().equalsString(name))
                                || List.of("toString", "hashCode", "equals").contains(name))
                .orElse(false);
    }

    private static boolean isOfEnum(ClassModel type, String name) {
        return type.flags().has(AccessFlag.ENUM) && Set.of("values", "valueOf").contains(name);
    }

    private static boolean overrides(ClassModel type, String name, int parameters) {
        try {
            Class<?> loaded =
                    Class.forName(name(type).replace('/', '.'), false, Main.class.getClassLoader());
            return supertypes(loaded).stream()
                    .flatMap(above -> Stream.of(above.getDeclaredMethods()))
                    .anyMatch(m -> m.getName().equals(name) && m.getParameterCount() == parameters);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static Set<Class<?>> supertypes(Class<?> type) {
        Set<Class<?>> all = new HashSet<>();
        Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()))
                .forEach(above -> {
                    all.add(above);
                    all.addAll(supertypes(above));
                });
        return all;
    }

    private boolean usedUnseen(ClassModel type, FieldModel field) {
        return field.flags().has(AccessFlag.PRIVATE)
                || field.flags().has(AccessFlag.SYNTHETIC)
                || field.flags().has(AccessFlag.ENUM)
                || field.findAttribute(Attributes.runtimeVisibleAnnotations()).isPresent()
                || field.findAttribute(Attributes.constantValue()).isPresent()
                        && mentioned(type, field.fieldName().stringValue());
    }

    /// The compiler copies the value of a constant, so only sources show its use.
    private boolean mentioned(ClassModel type, String constant) {
        String file = outermost(name(type));
        long here =
                Pattern.compile("\\b" + constant + "\\b")
                        .matcher(sources.get(file))
                        .results()
                        .count();
        String simple = name(type).replaceFirst(".*[/$]", "");
        Pattern there = Pattern.compile("\\b" + simple + "\\s*\\.\\s*" + constant + "\\b");
        return here > 1 || sources.values().stream().anyMatch(s -> there.matcher(s).find());
    }

    private static String key(ClassModel type, MethodModel method) {
        return name(type) + "." + method.methodName() + method.methodType();
    }

    private static String name(ClassModel type) {
        return type.thisClass().asInternalName();
    }
}
