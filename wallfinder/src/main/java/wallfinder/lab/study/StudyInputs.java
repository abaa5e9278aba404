package wallfinder.lab.study;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import wallfinder.experiment.Body;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Matrix;
import wallfinder.experiment.Placeholders;
import wallfinder.experiment.RequestSpec;
import wallfinder.lab.session.HostFacts;
import wallfinder.sandbox.CommandLine;

/// What a study depends on besides its experiment: the files that the load reads, the programs of
/// the services, and this host. SHA-256 hashes show whether they have changed.
///
/// @param hashes by the file's path as given; all targets have one entry for their requests,
///   because their spelling does not matter
record StudyInputs(SortedMap<String, String> hashes) {
    private static final String TARGETS = "targets";
    private static final String HOST = "this host (its kernel or its CPUs)";
    private static final String NONE = "-";
    private static final String BETWEEN = "  ";

    /// @param home the folder of the product, for `{home}`
    static StudyInputs of(Matrix matrix, Path home) {
        List<Experiment> experiments =
                matrix.cells().stream().map(Matrix.Cell::experiment).toList();
        List<LoadSpec.Http> loads =
                experiments.stream()
                        .map(Experiment::load)
                        .filter(LoadSpec.Http.class::isInstance)
                        .map(LoadSpec.Http.class::cast)
                        .toList();
        SortedMap<String, String> hashes = new TreeMap<>();
        loads.stream().flatMap(StudyInputs::files).forEach(f -> hashes.put(f, ofFile(f)));
        SortedSet<String> asked = new TreeSet<>();
        loads.forEach(load -> asked.add(load.url() + " " + load.requests()));
        hashes.put(TARGETS, ofText(String.join("\n", asked)));
        experiments.stream()
                .filter(experiment -> experiment.host() == null)
                .flatMap(experiment -> programFiles(experiment, home))
                .forEach(file -> hashes.computeIfAbsent(file, StudyInputs::ofFile));
        hashes.put(HOST, ofText(HostFacts.machine().toString()));
        return new StudyInputs(hashes);
    }

    private static Stream<String> files(LoadSpec.Http load) {
        Stream<String> bodies =
                load.requests().stream()
                        .map(RequestSpec::body)
                        .filter(Body.File.class::isInstance)
                        .map(body -> ((Body.File) body).path().toString());
        Stream<String> keys =
                Stream.of(load.tls().ca(), load.tls().cert(), load.tls().key())
                        .filter(Objects::nonNull);
        return Stream.concat(bodies, keys);
    }

    /// The words of commands that are files of this host, such as a jar or a script.
    private static Stream<String> programFiles(Experiment experiment, Path home) {
        Map<String, String> names = new HashMap<>(Map.of("home", home.toString()));
        experiment
                .programs()
                .forEach(spec ->
                        spec.knobs().forEach((name, knob) -> names.put(name, knob.value())));
        return experiment.programs().stream()
                .filter(spec -> spec.host() == null)
                .flatMap(spec -> {
                    String cwd = Objects.requireNonNullElse(spec.cwd(), "");
                    return CommandLine.split(spec.command()).stream()
                            .filter(word ->
                                    names.keySet().containsAll(Placeholders.names(cwd + word)))
                            .map(word ->
                                    Path.of(Placeholders.fill(cwd, names))
                                            .resolve(Placeholders.fill(word, names)));
                })
                .filter(Files::isRegularFile)
                .map(Path::toString);
    }

    private static String ofFile(String path) {
        try (InputStream in = Files.newInputStream(Path.of(path));
                DigestInputStream digest = new DigestInputStream(in, sha256())) {
            digest.transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(digest.getMessageDigest().digest());
        } catch (IOException e) {
            return NONE; // each trial reports the missing file
        }
    }

    private static String ofText(String text) {
        return HexFormat.of().formatHex(sha256().digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /// The names of what has changed; empty if nothing has.
    Optional<String> changedSince(StudyInputs before) {
        SortedSet<String> names = new TreeSet<>(before.hashes().keySet());
        names.removeIf(name -> Objects.equals(hashes.get(name), before.hashes().get(name)));
        return names.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", names));
    }

    /// One line for each hash, in the format of `sha256sum`.
    String text() {
        return hashes.entrySet().stream()
                .map(entry -> entry.getValue() + BETWEEN + entry.getKey() + "\n")
                .collect(Collectors.joining());
    }

    static StudyInputs parse(String text) {
        SortedMap<String, String> hashes = new TreeMap<>();
        text.lines()
                .forEach(line -> {
                    int end = line.indexOf(BETWEEN);
                    if (end > 0) {
                        hashes.put(line.substring(end + BETWEEN.length()), line.substring(0, end));
                    }
                });
        return new StudyInputs(hashes);
    }
}
