package dev.sluice.server.demo;

import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.server.http.HealthReport;
import dev.sluice.server.node.Node;
import java.io.PrintWriter;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Counts what flows, and says it in one line per second. */
final class Flow {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");
    private static final int HEADING_EVERY = 20;

    private final PrintWriter out;
    private final Node puller;
    private final Function<Event, String> form;
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong slowest = new AtomicLong();
    private final long atStart;
    private @Nullable Shop shop;
    private @Nullable Till till;
    private Optional<EventWorker> worker = Optional.empty();
    private volatile @Nullable Event last;
    private int lines;

    Flow(PrintWriter out, Node puller, Function<Event, String> form) {
        this.out = out;
        this.puller = puller;
        this.form = form;
        this.atStart = captured();
    }

    void watch(Shop opened, Till openedToo, Optional<EventWorker> handling) {
        shop = opened;
        till = openedToo;
        worker = handling;
    }

    /** Counts all but control events, which the shop did not write. */
    void delivered(Event event) {
        if (!event.getDocumentId().isEmpty()) {
            delivered.incrementAndGet();
            slowest.accumulateAndGet(System.currentTimeMillis() - event.getTimestamp(), Math::max);
        }
        last = event;
    }

    private long captured() {
        return puller.puller().backends().stream()
                .mapToLong(backend -> backend.capture().counters().eventsIngested())
                .sum();
    }

    private long written() {
        return (shop == null ? 0 : shop.written()) + (till == null ? 0 : till.written());
    }

    void line() {
        if (lines++ % HEADING_EVERY == 0) {
            out.printf(
                    "  %-8s  %8s  %8s  %9s  %s%9s  %s%n",
                    "time",
                    "written",
                    "captured",
                    "delivered",
                    worker.map(any -> "   worker  ").orElse(""),
                    "slowest",
                    "last event");
        }
        var health = puller.http().health().status();
        out.printf(
                Locale.ROOT,
                "  %-8s  %,8d  %,8d  %,9d  %s%6d ms  %s%s%n",
                LocalTime.now().format(TIME),
                written(),
                captured() - atStart,
                delivered.get(),
                worker.map(it -> String.format(Locale.ROOT, "%,9d  ", it.handled()))
                        .orElse(""),
                slowest.getAndSet(0),
                text(last),
                health == HealthReport.Status.HEALTHY
                        ? ""
                        : "  (" + health.name().toLowerCase(Locale.ROOT) + ")");
        out.flush();
    }

    private String text(@Nullable Event event) {
        return event == null ? "" : form.apply(event);
    }
}
