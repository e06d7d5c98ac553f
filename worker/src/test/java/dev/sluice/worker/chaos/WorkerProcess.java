package dev.sluice.worker.chaos;

import dev.sluice.testkit.faults.FaultProxy;
import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One worker of the chaos test: a process that can be started again and again, and its own way to the server. */
final class WorkerProcess implements AutoCloseable {
    private static final Duration STARTS_WITHIN = Duration.ofSeconds(60);
    private static final Duration LEAVES_WITHIN = Duration.ofSeconds(60);

    final String name;
    private final ProcessSpec spec;
    private final @Nullable FaultProxy network;
    private @Nullable ChildProcess process;

    WorkerProcess(String name, ProcessSpec spec, @Nullable FaultProxy network) {
        this.name = name;
        this.spec = spec;
        this.network = network;
    }

    /** Starts it without waiting for it; see {@link #awaitStarted}. */
    void start() {
        if (process == null) {
            process = ChildProcess.start(spec);
        } else {
            process.restart();
        }
    }

    void awaitStarted() {
        running().awaitLine("worker started", STARTS_WITHIN);
    }

    boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** As the running process calls itself towards the ledger. */
    String id() {
        return name + ':' + running().pid();
    }

    void terminate() {
        running().terminate(LEAVES_WITHIN);
    }

    void kill() {
        running().kill9();
    }

    void freeze() {
        running().pause();
    }

    void thaw() {
        running().resume();
    }

    /** Its connection to the server; null when it is connected directly. */
    @Nullable
    FaultProxy network() {
        return network;
    }

    private ChildProcess running() {
        if (process == null) {
            throw new IllegalStateException(name + " was never started");
        }
        return process;
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
        if (network != null) {
            network.close();
        }
    }
}
