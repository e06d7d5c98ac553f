package dev.sluice.server.cli;

import dev.sluice.client.ConsumerOptions;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.ProgressMarker;
import java.time.Instant;
import java.util.HashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A marker for a time: just before its first event, in every backend. Which there are, the first heartbeat tells. */
final class SinceMarker {
    private SinceMarker() {}

    static String of(ConsumerOptions options, Instant from) {
        var first = new CompletableFuture<String>();
        try (var consumer = options.heartbeats().start(event -> first.complete(event.getProgress()))) {
            consumer.ended().whenComplete((nothing, failure) -> {
                if (failure != null) {
                    first.completeExceptionally(failure);
                }
            });
            return before(from, ProgressMarker.decode(first.join()));
        } catch (CompletionException gaveUp) {
            var cause = gaveUp.getCause();
            throw new IllegalStateException(String.valueOf((cause == null ? gaveUp : cause).getMessage()), gaveUp);
        }
    }

    private static String before(Instant from, ProgressMarker known) {
        var place = new EventId(ClusterTime.of(Math.max(0, from.getEpochSecond()), 0), 0);
        var positions = new HashMap<String, EventId>();
        known.positions().keySet().forEach(backend -> positions.put(backend, place));
        return new ProgressMarker(positions).encode();
    }
}
