package dev.sluice.worker.stream;

import java.time.Duration;

/**
 * Time limits of pull requests.
 *
 * @param expires after which the server answers a request it could not fulfil
 * @param heartbeat how often the server says that a request still waits
 * @param silence after which a pull without any answer is broken
 */
record PullTimes(Duration expires, Duration heartbeat, Duration silence) {
    static final PullTimes DEFAULT = new PullTimes(Duration.ofSeconds(30), Duration.ofSeconds(3));

    private static final int MISSING_HEARTBEATS = 3;

    PullTimes {
        // JetStream refuses a heartbeat above half of the expiry.
        if (heartbeat.multipliedBy(2).compareTo(expires) > 0) {
            throw new IllegalArgumentException("heartbeat " + heartbeat + " is more than half of " + expires);
        }
    }

    /** Three missing heartbeats break a pull. */
    PullTimes(Duration expires, Duration heartbeat) {
        this(expires, heartbeat, heartbeat.multipliedBy(MISSING_HEARTBEATS));
    }
}
