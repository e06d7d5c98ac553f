package dev.sluice.worker.partition;

import dev.sluice.worker.stream.Consumers;
import dev.sluice.worker.stream.MessageStream;
import dev.sluice.worker.stream.StreamState;
import dev.sluice.worker.stream.StreamState.Retention;
import dev.sluice.worker.stream.StreamState.Transform;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** A stream of which only the subjects and the configuration are looked at. */
public final class FixedStream implements MessageStream {
    private final List<String> messages = new ArrayList<>();
    private List<Transform> transforms = List.of();
    public Retention retention = Retention.LIMITS;
    public long maxConsumers = -1;
    public List<String> subjects = List.of();

    public FixedStream with(String... added) {
        messages.addAll(List.of(added));
        return this;
    }

    public FixedStream transforming(String source, String destination) {
        transforms = List.of(new Transform(source, destination));
        return this;
    }

    @Override
    public StreamState state() {
        return new StreamState(
                "ORDERS", Instant.EPOCH, retention, 1, messages.size(), maxConsumers, -1, 1, transforms, subjects);
    }

    @Override
    public Map<String, Long> subjects(String filter) {
        Map<String, Long> counts = new TreeMap<>();
        for (String subject : messages) {
            if (SubjectFilter.matches(filter, subject)) {
                counts.merge(subject, 1L, Long::sum);
            }
        }
        return counts;
    }

    @Override
    public OptionalLong lastOf(String filter) {
        for (int i = messages.size(); i > 0; i--) {
            if (SubjectFilter.matches(filter, messages.get(i - 1))) {
                return OptionalLong.of(i);
            }
        }
        return OptionalLong.empty();
    }

    @Override
    public Consumers consumers() {
        throw new UnsupportedOperationException("not needed here");
    }

    @Override
    public void whenBack(Runnable listener) {}

    @Override
    public void close() {}
}
