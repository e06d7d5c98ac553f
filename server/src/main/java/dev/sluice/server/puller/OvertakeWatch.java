package dev.sluice.server.puller;

import dev.sluice.run.Loop;
import dev.sluice.run.Loops;
import dev.sluice.stream.ConsumerStatus;
import dev.sluice.stream.ConsumersView;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns, once per consumer until it has recovered, before retention takes away what it has not read. */
final class OvertakeWatch {
    /** A consumer whom retention overtakes within this time is warned of. */
    static final Duration WARN_BEFORE = Duration.ofMinutes(10);

    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.retention");
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final ConsumersView consumers;
    private Set<Long> warned = Set.of();

    OvertakeWatch(ConsumersView consumers) {
        this.consumers = consumers;
    }

    static Loop start(Loops loops, ConsumersView consumers) {
        var watch = new OvertakeWatch(consumers);
        return loops.loop("consumer-watch").start(() -> {
            watch.look();
            return INTERVAL;
        });
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
}
