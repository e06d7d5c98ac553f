package dev.sluice.server.puller;

import dev.sluice.stream.ConsumerStatus;
import dev.sluice.stream.ConsumersView;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns, once per consumer until it has recovered, before retention takes away what it has not read. */
final class OvertakeWatch implements AutoCloseable {
    /** A consumer whom retention overtakes within this time is warned of. */
    static final Duration WARN_BEFORE = Duration.ofMinutes(10);

    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.retention");
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final ConsumersView consumers;
    private Set<Long> warned = Set.of();
    private final CountDownLatch stop = new CountDownLatch(1);

    OvertakeWatch(ConsumersView consumers) {
        this.consumers = consumers;
    }

    static OvertakeWatch start(ConsumersView consumers) {
        var watch = new OvertakeWatch(consumers);
        Thread.ofPlatform().daemon().name("consumer-watch").start(watch::run);
        return watch;
    }

    private void run() {
        try {
            while (!stop.await(INTERVAL.toNanos(), TimeUnit.NANOSECONDS)) {
                look();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /** Warns of those who are endangered now and were not when it last looked. */
    void look() {
        var endangered =
                consumers.list().stream().filter(OvertakeWatch::isEndangered).toList();
        endangered.stream()
                .filter(consumer -> !warned.contains(consumer.call()))
                .forEach(OvertakeWatch::warn);
        warned = endangered.stream().map(ConsumerStatus::call).collect(Collectors.toSet());
    }

    private static void warn(ConsumerStatus consumer) {
        LOG.atWarn()
                .addKeyValue("consumer", consumer.label())
                .addKeyValue("peer", consumer.peer())
                .addKeyValue("eventsBehind", consumer.eventsBehind())
                .addKeyValue(
                        "seconds",
                        consumer.untilOvertaken().map(Duration::toSeconds).orElse(0L))
                .log("retention is about to overtake a consumer");
    }

    static boolean isEndangered(ConsumerStatus consumer) {
        return consumer.untilOvertaken()
                .filter(left -> left.compareTo(WARN_BEFORE) < 0)
                .isPresent();
    }

    @Override
    public void close() {
        stop.countDown();
    }
}
