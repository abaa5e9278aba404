package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Resolver;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.UsageException;
import wallfinder.linux.Affinity;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.Errno;
import wallfinder.linux.Processes;
import wallfinder.linux.SyscallException;

/// One start of a service.
///
/// @param names the values of the placeholders, the service's own knobs and `{jvm}` included
/// @param namespace the `/proc` file of its network namespace, or null for the host's
/// @param end the word of its end, `server` or `client`
/// @param resolver its name servers, or null for the host's
/// @param cpus where it runs if it has no `cpuset`
record ServiceStart(
        ServiceSpec spec,
        Map<String, String> names,
        Path folder,
        @Nullable Path namespace,
        String end,
        @Nullable Resolver resolver,
        BitSet cpus) {

    static Map<String, String> names(ServiceSpec spec, Map<String, String> given) {
        Map<String, String> names = new TreeMap<>(given);
        spec.knobs().forEach((name, knob) -> names.put(name, knob.value()));
        names.put("jvm", Jvm.of(spec.jvm()).home().toString());
        return names;
    }

    /// Starts the service on the calling thread. The service ends with this thread. Its limits are
    /// in force from its first instruction on.
    Service run(CgroupHost host, RunLock run) {
        List<String> words = CommandLine.words(spec.command(), names);
        BitSet allowed =
                spec.limits().cpuset() == null ? cpus : CpuPlan.parse(spec.limits().cpuset());
        String mark = ServiceMark.value(run.runId(), spec.name());
        ServiceLog log = log();
        ProcessBuilder builder = builder(words, mark, log);
        Cgroup cgroup = Cgroup.create(host, run, spec.name(), spec.limits());
        Process process = start(builder, cgroup);
        Service service =
                new Service(spec, words, process, log, ServiceMark.ofService(mark), cgroup);
        try {
            limit(process.pid(), cgroup, allowed);
        } catch (RuntimeException e) {
            process.destroyForcibly();
            service.stop();
            throw e;
        }
        Gate.open(process);
        Thread.ofPlatform().name("log-of-" + spec.name()).daemon().start(service::keepLogShort);
        return service;
    }

    private ServiceLog log() {
        try {
            Files.createDirectories(folder);
            return ServiceLog.beginning(
                    folder.resolve(spec.name().replaceAll("[^A-Za-z0-9._-]", "_") + ".log"));
        } catch (IOException e) {
            throw unwritable("the log of the service " + spec.name(), e);
        }
    }

    private EnvironmentException unwritable(String file, IOException e) {
        return new EnvironmentException(
                file + " cannot be written to " + folder,
                e.toString(),
                "make the folder writable, or choose another");
    }

    /// A service on the host's network also looks up names as the host does.
    private @Nullable NameFiles nameFiles() {
        if (resolver == null || namespace == null) {
            return null;
        }
        try {
            return NameFiles.write(resolver, names, folder, end);
        } catch (IOException e) {
            throw unwritable("the resolv.conf of the " + end, e);
        }
    }

    private ProcessBuilder builder(List<String> words, String mark, ServiceLog log) {
        ServiceUser user = ServiceUser.of(spec.user(), namespace != null);
        ProcessBuilder builder =
                new ProcessBuilder(Gate.words(namespace, nameFiles(), user, words))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.path().toFile()));
        spec.env()
                .forEach((key, text) ->
                        builder.environment().put(key, CommandLine.expand(text, names)));
        builder.environment().put(ServiceMark.VARIABLE, mark);
        if (spec.cwd() != null) {
            Path cwd = Path.of(CommandLine.expand(spec.cwd(), names));
            if (!Files.isDirectory(cwd)) {
                throw new UsageException(
                        "the service " + spec.name() + " cannot be started in " + cwd,
                        "there is no such folder",
                        "correct its cwd, or create the folder");
            }
            builder.directory(cwd.toFile());
        }
        return builder;
    }

    private Process start(ProcessBuilder builder, @Nullable Cgroup cgroup) {
        try {
            return builder.start();
        } catch (IOException e) {
            if (cgroup != null) {
                cgroup.close();
            }
            throw new EnvironmentException(
                    "the service " + spec.name() + " cannot be started",
                    String.valueOf(e.getMessage()),
                    "check that memory, processes and disk space are left");
        }
    }

    private void limit(long pid, @Nullable Cgroup cgroup, BitSet allowed) {
        Limits limits = spec.limits();
        if (cgroup != null) {
            cgroup.add(pid);
        }
        try {
            Affinity.pin(pid, allowed);
        } catch (SyscallException e) {
            throw new EnvironmentException(
                    "the service "
                            + spec.name()
                            + " cannot run on the CPUs "
                            + CpuPlan.text(allowed),
                    String.valueOf(e.getMessage()),
                    "use some of the CPUs " + CpuPlan.text(CpuPlan.allowed()));
        }
        if (limits.nofile() != null) {
            limitDescriptors(pid, limits.nofile());
        }
    }

    private void limitDescriptors(long pid, long descriptors) {
        try {
            Processes.limitDescriptors(pid, descriptors);
        } catch (SyscallException e) {
            if (e.errno() != Errno.EPERM) {
                throw e;
            }
            throw new EnvironmentException(
                    "the service " + spec.name() + " cannot have " + descriptors + " descriptors",
                    "that is above the hard limit of this process (ulimit -Hn)",
                    "raise the hard limit, or lower nofile");
        }
    }
}
