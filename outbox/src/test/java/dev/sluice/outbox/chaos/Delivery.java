package dev.sluice.outbox.chaos;

import dev.sluice.outbox.kafka.KafkaSinks;
import dev.sluice.outbox.relay.Sink;
import java.util.Locale;
import java.util.Map;

/** The two promises, each with a database, a topic and a relay of its own in every process. */
enum Delivery {
    AT_LEAST_ONCE {
        @Override
        Sink sink(String broker) {
            return KafkaSinks.atLeastOnce(Map.of("bootstrap.servers", broker));
        }
    },
    EXACTLY_ONCE {
        @Override
        Sink sink(String broker) {
            return KafkaSinks.exactlyOnce(Map.of("bootstrap.servers", broker));
        }
    };

    abstract Sink sink(String broker);

    /** The name of its outbox. */
    String outbox() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
