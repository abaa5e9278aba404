package wallfinder.lab.study;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.experiment.Matrix;
import wallfinder.experiment.UsageException;
import wallfinder.linux.EnvironmentException;
import wallfinder.record.RunRecord;
import wallfinder.report.RunFolder;

/// Keeps each trial of a study as soon as it is measured, so that whatever ends the program takes
/// no more than the trial under way.
///
/// A trial is a file of its own that appears whole or not at all, and is on the disk before the
/// next one begins. Its name is its place in the study, so none can be there twice.
final class StudyFolder {
    private static final String MEASURED = "measured";
    private static final String END = ".json.gz";
    private static final String INPUTS = "inputs.sha256";
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final Path folder;
    private final Path measured;

    private StudyFolder(Path folder) {
        this.folder = folder;
        this.measured = folder.resolve(MEASURED);
    }

    /// Begins a study in a folder that holds none.
    static StudyFolder begin(Path folder, Matrix matrix) {
        StudyFolder study = new StudyFolder(folder);
        if (Files.exists(study.measured)) {
            throw new UsageException(
                    "a new study cannot be kept in " + folder,
                    "another one is there already",
                    "go on with that one by --resume, or name another folder");
        }
        try {
            Files.createDirectories(study.measured);
            study.keep(
                    folder.resolve(RunFolder.EXPERIMENT_YAML),
                    matrix.text().getBytes(StandardCharsets.UTF_8));
            study.keep(
                    folder.resolve(INPUTS),
                    StudyInputs.of(matrix).text().getBytes(StandardCharsets.UTF_8));
            return study;
        } catch (IOException e) {
            throw study.unwritable(e);
        }
    }

    /// Goes on with a study.
    ///
    /// @throws UsageException if there is none, or the experiment is another one by now
    static StudyFolder resume(Path folder, Matrix matrix) {
        StudyFolder study = new StudyFolder(folder);
        Path experiment = folder.resolve(RunFolder.EXPERIMENT_YAML);
        if (!Files.isDirectory(study.measured) || !Files.isRegularFile(experiment)) {
            throw new UsageException(
                    "there is nothing to resume in " + folder,
                    "no study was begun there",
                    "name the folder of a `run`, such as runs/20261120-101530-name");
        }
        try {
            if (!Files.readString(experiment).equals(matrix.text())) {
                throw study.changed(
                        "the experiment was",
                        "resume it with its own %s, or begin anew".formatted(experiment));
            }
            Path inputs = folder.resolve(INPUTS);
            if (Files.exists(inputs)) {
                StudyInputs.of(matrix)
                        .changedSince(StudyInputs.parse(Files.readString(inputs)))
                        .ifPresent(names -> {
                            throw study.changed(
                                    names + ": this was", "put back what it was, or begin anew");
                        });
            }
        } catch (IOException e) {
            throw new EnvironmentException(
                    folder + " cannot be read",
                    String.valueOf(e),
                    "see that you may read all files in it");
        }
        return study;
    }

    private UsageException changed(String what, String todo) {
        return new UsageException(
                "the study in " + folder + " cannot be resumed",
                what + " changed since: its trials would be of two experiments",
                todo);
    }

    /// The newest study of that name under a folder of runs.
    static Optional<Path> newest(Path runs, String name) {
        if (!Files.isDirectory(runs)) {
            return Optional.empty();
        }
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(runs)) {
            for (Path run : all) {
                boolean named =
                        run.getFileName()
                                .toString()
                                .matches("\\d{8}-\\d{6}-" + Pattern.quote(name) + "(-\\d+)?");
                if (named && Files.isDirectory(run.resolve(MEASURED))) {
                    found.add(run);
                }
            }
        } catch (IOException e) {
            return Optional.empty();
        }
        return found.stream().max(Comparator.comparing(run -> run.getFileName().toString()));
    }

    /// Returns when it is on the disk.
    void keep(StudyTrial trial) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
                gzip.write(MAPPER.writeValueAsBytes(RecordJson.toJson(trial)));
            }
            keep(measured.resolve(trial.name() + END), bytes.toByteArray());
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    private void keep(Path file, byte[] bytes) throws IOException {
        Path part = file.resolveSibling("." + file.getFileName() + ".part");
        try (FileChannel channel =
                FileChannel.open(
                        part,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            ByteBuffer left = ByteBuffer.wrap(bytes);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            channel.force(true);
        }
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        Path parent = file.getParent();
        if (parent != null) {
            // The name is on the disk when its folder is.
            try (FileChannel names = FileChannel.open(parent, StandardOpenOption.READ)) {
                names.force(true);
            }
        }
    }

    /// What was measured so far, in any order and one at a time: many fill the memory.
    void read(Consumer<StudyTrial> each) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(measured, "[!.]*" + END)) {
            for (Path file : files) {
                each.accept(read(file));
            }
        } catch (IOException e) {
            throw new EnvironmentException(
                    measured + " cannot be read", String.valueOf(e), "see that you may read it");
        }
    }

    /// Those that did not fail, in the order in which they were measured, each read when it is
    /// asked for.
    List<RunRecord.Trial> trials(List<TrialFigures.Kept> of) {
        List<StudyTrial.Slot> slots =
                of.stream()
                        .filter(trial -> trial.failure() == null)
                        .sorted(Comparator.comparingInt(TrialFigures.Kept::order))
                        .map(TrialFigures.Kept::slot)
                        .toList();
        return new TrialsOnDisk(slots, this::read);
    }

    private RunRecord.Trial read(StudyTrial.Slot slot) {
        Path file = measured.resolve(slot.name() + END);
        try {
            return Objects.requireNonNull(read(file).trial());
        } catch (IOException e) {
            throw new EnvironmentException(
                    file + " cannot be read",
                    String.valueOf(e),
                    "leave a study's files alone while it runs");
        }
    }

    private static StudyTrial read(Path file) throws IOException {
        @Nullable Object read;
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            read = RecordJson.read(MAPPER.readTree(in.readAllBytes()), StudyTrial.class);
        } catch (JacksonException
                | IllegalArgumentException
                | IllegalStateException
                | ZipException
                | EOFException e) {
            throw new UsageException(
                    file + " cannot be used",
                    "it is cut short, was changed, or is of another version",
                    "take it away: that trial is then measured again");
        }
        if (!(read instanceof StudyTrial trial) || !StudyTrial.SCHEMA.equals(trial.schema())) {
            throw new UsageException(
                    file + " cannot be used",
                    "it is not of the form " + StudyTrial.SCHEMA,
                    "resume the study with the version that began it");
        }
        return trial;
    }

    private EnvironmentException unwritable(IOException cause) {
        return new EnvironmentException(
                "a trial cannot be kept in " + folder,
                String.valueOf(cause),
                "free some space, and go on with --resume " + folder);
    }
}
