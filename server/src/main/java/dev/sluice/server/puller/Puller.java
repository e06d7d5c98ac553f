package dev.sluice.server.puller;

import dev.sluice.grpc.PullerGrpcServer;
import dev.sluice.log.LogReader;
import dev.sluice.run.Loop;
import dev.sluice.run.Loops;
import dev.sluice.server.Opened;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.stream.ConsumersView;
import dev.sluice.stream.StreamLimits;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Puller: every backend's source → capture → group commit → log → tail, and one gRPC server over all of them.
 *
 * <p>It starts in that order and stops in an order that loses nothing: capture first, which flushes and saves its
 * position, then the consumers' streams, then the logs they read. A backend that cannot be opened is failed and the others
 * run; only when none can, the start is refused. A start that fails leaves nothing behind.
 */
public final class Puller implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.puller");

    private final List<BackendPipeline> backends = new ArrayList<>();
    private final List<FailedBackend> failed = new ArrayList<>();
    private final PullerMeters meters;
    private final StreamLimits limits;
    private final PullerGrpcServer server;
    private final Loop overtakes;

    private Puller(SluiceConfig config, MeterRegistry registry, Loops loops) throws IOException {
        this.meters = new PullerMeters(registry);
        this.limits = ServerSettings.limits(config.puller());
        try (var opened = new Opened()) {
            BackendSettings.of(config).forEach(settings -> open(settings, loops, opened));
            refuseIfAllFailed();
            this.server = opened.add(PullerGrpcServer.start(
                    config.puller().grpc().address(),
                    ServerSettings.security(config.security()),
                    readers(),
                    ServerSettings.options(config.puller(), limits, meters.ofStreams()),
                    loops));
            backends.forEach(BackendPipeline::start);
            meters.watch(backends, failed, server.consumers());
            this.overtakes = OvertakeWatch.start(loops, server.consumers());
            opened.keep();
        }
    }

    /** One that cannot be opened never stops another. */
    private void open(BackendSettings settings, Loops loops, Opened opened) {
        try {
            backends.add(opened.add(BackendPipeline.open(settings, meters, loops)));
        } catch (RuntimeException cause) {
            failed.add(new FailedBackend(settings.name(), cause));
            LOG.atError()
                    .addKeyValue("backend", settings.name())
                    .addKeyValue("reason", cause.getMessage())
                    .log("backend failed: the others run without it; mend it, then restart");
        }
    }

    private void refuseIfAllFailed() {
        if (backends.isEmpty() && !failed.isEmpty()) {
            throw failed.getFirst().cause();
        }
    }

    /**
     * Starts all backends and the gRPC server.
     *
     * @param loops of this process, whose failures its health report reads
     * @throws dev.sluice.log.EventLogException no log can be opened: damaged, in use by another process, no access
     */
    public static Puller start(SluiceConfig config, MeterRegistry registry, Loops loops) throws IOException {
        var puller = new Puller(config, registry, loops);
        LOG.atInfo()
                .addKeyValue("backends", puller.readers().keySet())
                .addKeyValue("grpc", config.puller().grpc().address().host() + ":" + puller.port())
                .log("puller started");
        return puller;
    }

    /** Every backend's log by its name, for whoever reads them in this process. */
    public Map<String, LogReader> readers() {
        var readers = new TreeMap<String, LogReader>();
        backends.forEach(backend -> readers.put(backend.name(), backend.reader()));
        failed.forEach(backend -> readers.put(backend.name(), backend.reader()));
        return readers;
    }

    /** Where the gRPC server listens. */
    public int port() {
        return server.port();
    }

    /** Those that run. */
    public List<BackendPipeline> backends() {
        return List.copyOf(backends);
    }

    /** Ends the pause of backends that are polled: this process has just written to one of them. Returns at once. */
    public void wake() {
        backends.forEach(BackendPipeline::wake);
    }

    /** Those that could not be opened. */
    public List<FailedBackend> failed() {
        return List.copyOf(failed);
    }

    public ConsumersView consumers() {
        return server.consumers();
    }

    /** What a consumer in this process keeps to as well. */
    public StreamLimits limits() {
        return limits;
    }

    @Override
    public void close() {
        LOG.info("puller stops: capture first, then streams, then logs");
        server.serving(false);
        overtakes.close();
        BackendPipeline.stopCapture(backends);
        server.close();
        backends.reversed().forEach(BackendPipeline::close);
        LOG.info("puller stopped");
    }
}
