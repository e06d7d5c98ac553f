package dev.sluice.outbox.spring;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The application's {@code shedlock.defaults.*}, as an outbox with a global lock has them.
 *
 * @param lockAtMostFor How long a partition's lock outlives its owner, when that is shorter than the node timeout.
 * @param lockAtLeastFor Shortest time a lock is kept. Anything above 0 would throttle the relay and is not followed.
 */
@ConfigurationProperties("shedlock.defaults")
public record ShedLockProperties(
        @Nullable Duration lockAtMostFor, @DefaultValue("0") Duration lockAtLeastFor) {}
