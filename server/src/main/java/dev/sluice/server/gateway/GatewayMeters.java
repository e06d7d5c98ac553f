package dev.sluice.server.gateway;

import dev.sluice.gateway.GatewayCounters;
import dev.sluice.gateway.web.GatewayServer;
import dev.sluice.gateway.web.WebCounters;
import dev.sluice.gateway.web.WebCounters.Refusal;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** {@code sluice_gateway_*}: the gateway server's connections, what waits for them, and what the Streamer delivered. */
final class GatewayMeters {
    private static final String PREFIX = "sluice.gateway.";

    private final GatewayServer server;
    private final MeterRegistry registry;

    private GatewayMeters(GatewayServer server, MeterRegistry registry) {
        this.server = server;
        this.registry = registry;
    }

    static void register(GatewayServer server, MeterRegistry registry) {
        var meters = new GatewayMeters(server, registry);
        meters.state();
        meters.endUsers();
        meters.deliveries();
    }

    private void state() {
        gauge("connections", "End users connected", GatewayServer::connections);
        gauge("subscriptions", "Subscriptions of end users", GatewayServer::subscriptions);
        Gauge.builder(PREFIX + "queued", server, GatewayServer::queuedBytes)
                .baseUnit(BaseUnits.BYTES)
                .description("Bytes that wait for end users; an event that waits for many counts once")
                .register(registry);
        gauge(
                "streamer.up",
                "1 while the Streamer answers and knows this gateway",
                gateway -> gateway.problem().isEmpty() ? 1 : 0);
    }

    private void endUsers() {
        var web = server.web();
        counter("messages.sent", "Messages written to end users", web, WebCounters::sentMessages);
        counter(
                "messages.dropped",
                "Messages that waited for connections which were cut off; their clients resume or read everything again",
                web,
                WebCounters::droppedMessages);
        counter("cut.offs", "End users disconnected because they were too slow", web, WebCounters::cutOffs);
        counter("resyncs", "Subscriptions of end users told to read everything again", web, WebCounters::resyncs);
        for (var why : Refusal.values()) {
            FunctionCounter.builder(PREFIX + "refused", web, counters -> counters.refusals(why))
                    .tag("reason", why.name().toLowerCase(Locale.ROOT))
                    .description("Connections and subscriptions of end users that were refused")
                    .register(registry);
        }
    }

    private void deliveries() {
        events("handled", GatewayCounters::handled);
        events("repeat", GatewayCounters::repeats);
        events("unknown", GatewayCounters::unknown);
        events("rejected", GatewayCounters::rejected);
        batches("retried", GatewayCounters::retried);
        batches("refused", GatewayCounters::refused);
        batches("fenced", GatewayCounters::fenced);
    }

    private void events(String outcome, ToDoubleFunction<GatewayCounters> value) {
        FunctionCounter.builder(PREFIX + "events", server.counters(), value)
                .tag("outcome", outcome)
                .description("Events the Streamer delivered, by what became of them")
                .register(registry);
    }

    private void batches(String outcome, ToDoubleFunction<GatewayCounters> value) {
        FunctionCounter.builder(PREFIX + "batches.returned", server.counters(), value)
                .tag("outcome", outcome)
                .description("Batches of the Streamer that were not taken whole")
                .register(registry);
    }

    private void gauge(String name, String description, ToDoubleFunction<GatewayServer> value) {
        Gauge.builder(PREFIX + name, server, value).description(description).register(registry);
    }

    private <T> void counter(String name, String description, T of, ToDoubleFunction<T> value) {
        FunctionCounter.builder(PREFIX + name, of, value)
                .description(description)
                .register(registry);
    }
}
