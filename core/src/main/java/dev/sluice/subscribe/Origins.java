package dev.sluice.subscribe;

import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Places;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the subscriptions of one batch start. The logs are asked here, before the registry is locked: they may be
 * elsewhere, and slow.
 */
final class Origins {
    /** A {@code from} further ahead than this is in no log's future that clocks could explain. */
    private static final Duration SURELY_AHEAD = Duration.ofMinutes(10);

    private final LogHeads logs;
    private final InstantSource clock;
    private final Map<ProgressMarker, Places> resolved = new HashMap<>();
    private @Nullable Places heads;
    private @Nullable NotReadyException notReady;

    Origins(LogHeads logs, InstantSource clock) {
        this.logs = logs;
        this.clock = clock;
        try {
            heads = logs.heads();
        } catch (NotReadyException e) {
            // Said only if a subscription needs it: one that is merely renewed does not.
            notReady = e;
        }
    }

    /**
     * The heads of all logs when the batch came.
     *
     * @throws NotReadyException while they are not known
     */
    Places since() {
        if (heads == null) {
            throw notReady == null ? new NotReadyException("the heads of the logs are not known yet") : notReady;
        }
        return heads;
    }

    /** The places of the marker that the subscription asks to start from; null when it names none. */
    @Nullable
    Places from(Subscription subscription) {
        return subscription
                .from()
                .map(marker -> resolved.computeIfAbsent(marker, logs::resolve))
                .orElse(null);
    }

    /** Rejects a {@code from} in the future: the subscription would be told nothing until then. */
    Optional<String> objection(Subscription subscription) {
        if (subscription.from().isEmpty()) {
            return Optional.empty();
        }
        Places known = since();
        long now = clock.instant().plus(SURELY_AHEAD).getEpochSecond();
        return subscription.from().get().positions().entrySet().stream()
                .filter(each -> each.getValue().time().t() > Math.max(now, head(known, each.getKey())))
                .findFirst()
                .map(each -> "its from is ahead of everything: at "
                        + each.getValue().time().t()
                        + " seconds since 1970 of backend " + InvalidInputException.quote(each.getKey())
                        + "; leave it out, and read the current state");
    }

    private static long head(Places heads, String log) {
        Places.Place place = heads.of(log);
        return place == null ? 0 : place.position().time().t() + SURELY_AHEAD.toSeconds();
    }
}
