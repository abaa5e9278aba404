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

/// Writes each trial of a study once it is measured, so that a crash loses only the current trial.
///
/// Each trial is a file that is complete or does not exist. It is on the disk before the next trial
/// begins. Its name is its slot in the study, so no slot has two files.
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

    /// Begins a study in a folder without one.
    static StudyFolder begin(Path folder, Matrix matrix, Path home) {
        StudyFolder study = new StudyFolder(folder);
        if (Files.exists(study.measured)) {
            throw new UsageException(
                    "a new study cannot be kept in " + folder,
                    "the folder contains another study",
                    "continue that study with --resume, or name another folder");
        }
        try {
            Files.createDirectories(study.measured);
            keep(folder.resolve(RunFolder.EXPERIMENT_YAML), utf8(matrix.text()));
            keep(folder.resolve(INPUTS), utf8(StudyInputs.of(matrix, home).text()));
            return study;
        } catch (IOException e) {
            throw study.unwritable(e);
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /// @throws UsageException if there is no study, or the experiment has changed
    static StudyFolder resume(Path folder, Matrix matrix, Path home) {
        StudyFolder study = new StudyFolder(folder);
        Path experiment = folder.resolve(RunFolder.EXPERIMENT_YAML);
        if (!Files.isDirectory(study.measured) || !Files.isRegularFile(experiment)) {
            throw new UsageException(
                    "there is nothing to resume in " + folder,
                    "it contains no study",
                    "name the folder of a `run`, such as runs/20261120-101530-name");
        }
        try {
            if (!Files.readString(experiment).equals(matrix.text())) {
                throw study.changed(
                        "the experiment",
                        "resume it with its own %s, or begin anew".formatted(experiment));
            }
            Path inputs = folder.resolve(INPUTS);
            if (Files.exists(inputs)) {
                StudyInputs.of(matrix, home)
                        .changedSince(StudyInputs.parse(Files.readString(inputs)))
                        .ifPresent(names -> {
                            throw study.changed(names, "restore it, or begin anew");
                        });
            }
        } catch (IOException e) {
            throw new EnvironmentException(
                    folder + " cannot be read",
                    String.valueOf(e),
                    "check the permissions of all files in it");
        }
        return study;
    }

    private UsageException changed(String what, String todo) {
        return new UsageException(
                "the study in " + folder + " cannot be resumed",
                what + " changed since then, so its trials would not be comparable",
                todo);
    }

    /// The newest study with this name in a folder of runs.
    ///
    /// @throws UsageException if there is no such study
    static Path newest(Path runs, String name) {
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
            found.clear(); // without a folder of runs there is no study
        }
        return found.stream()
                .max(Comparator.comparing(run -> run.getFileName().toString()))
                .orElseThrow(() ->
                        new UsageException(
                                "there is nothing to resume",
                                "%s contains no study named %s".formatted(runs, name),
                                "name its folder, as in --resume runs/20261120-101530-" + name));
    }

    /// Returns when the trial is on the disk.
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

    private static void keep(Path file, byte[] bytes) throws IOException {
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
            // The file's name is on the disk once its folder is.
            try (FileChannel names = FileChannel.open(parent, StandardOpenOption.READ)) {
                names.force(true);
            }
        }
    }

    /// Reads the trials in any order, one at a time: all of them may not fit into memory.
    void read(Consumer<StudyTrial> each) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(measured, "[!.]*" + END)) {
            for (Path file : files) {
                each.accept(read(file));
            }
        } catch (IOException e) {
            throw new EnvironmentException(
                    measured + " cannot be read", String.valueOf(e), "check its permissions");
        }
    }

    /// The trials that did not fail, in the order of their measurement, read on demand.
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
                    "change no files of a study while it runs");
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
                    "it is incomplete, was changed, or belongs to another version",
                    "remove it: the trial is then measured again");
        }
        if (!(read instanceof StudyTrial trial) || !StudyTrial.SCHEMA.equals(trial.schema())) {
            throw new UsageException(
                    file + " cannot be used",
                    "its format is not " + StudyTrial.SCHEMA,
                    "resume the study with the version that began it");
        }
        return trial;
    }

    private EnvironmentException unwritable(IOException cause) {
        return new EnvironmentException(
                "a trial cannot be kept in " + folder,
                String.valueOf(cause),
                "free some space, and continue with --resume " + folder);
    }
}
