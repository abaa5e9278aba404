package wallfinder.lab.trial;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;
import wallfinder.lab.peer.Watched;
import wallfinder.observation.Caveat;
import wallfinder.observation.Reader;
import wallfinder.observation.SandboxFacts;
import wallfinder.sandbox.Service;

/// The services of a sandbox on two hosts, watched on the host where they run.
public final class WatchedTestbed implements Watched {
    private final SandboxTestbed testbed;
    private final List<Caveat> caveats = new ArrayList<>();

    /// @param testbed stays open when the watch ends
    public WatchedTestbed(SandboxTestbed testbed) {
        this.testbed = testbed;
    }

    @Override
    public String describe() {
        return testbed.services().stream()
                .map(service -> "%s, process %d".formatted(service.name(), service.pid()))
                .collect(Collectors.joining("; "));
    }

    @Override
    public String name() {
        return testbed.services().getFirst().name();
    }

    @Override
    public List<Integer> ports() {
        return testbed.listening().ports();
    }

    @Override
    public long[] processes() {
        return testbed.processes();
    }

    @Override
    public BitSet cpus() {
        return testbed.cpus();
    }

    @Override
    public boolean ended(boolean anyProcess) {
        return testbed.services().stream().noneMatch(Service::alive);
    }

    @Override
    public List<Reader> readers() {
        return testbed.serverReaders();
    }

    @Override
    public void doubt(Caveat caveat) {
        caveats.add(caveat);
    }

    @Override
    public SandboxFacts facts() {
        SandboxFacts facts = testbed.facts();
        List<Caveat> all = new ArrayList<>(facts.caveats());
        all.addAll(caveats);
        return facts.with(true, facts.services(), List.copyOf(all));
    }

    @Override
    public void close() {}
}
