package dev.sluice.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.feed.EventFeed;
import dev.sluice.feed.FeedEvent;
import dev.sluice.feed.FeedUnavailableException;
import dev.sluice.feed.StreamId;
import dev.sluice.model.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A reader of a feed that sleeps until it is signalled, as a partition does, and checks every batch. */
public final class FeedProbe implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 20;

    private final Semaphore signals = new Semaphore(0);
    private final EventFeed.Reader reader;
    private Position passed;
    private long sourceTime;

    public FeedProbe(EventFeed feed, StreamId stream, long identity, Position after) {
        this.passed = after;
        this.reader = feed.open("probe", stream, identity, after, signals::release);
    }

    /** Everything up to here was read, or is of another partition. */
    public Position passed() {
        return passed;
    }

    public long sourceTime() {
        return sourceTime;
    }

    public EventFeed.Batch read() {
        return read(1_000, Long.MAX_VALUE);
    }

    private EventFeed.Batch read(int maxEvents, long maxBytes) {
        EventFeed.Batch batch = reader.read(maxEvents, maxBytes);
        assertThat(batch.events()).hasSizeLessThanOrEqualTo(maxEvents);
        assertThat(batch.passed()).isGreaterThanOrEqualTo(passed);
        if (!batch.events().isEmpty()) {
            assertThat(batch.events().getFirst().position()).isGreaterThan(passed);
            assertThat(batch.events().getLast().position()).isLessThanOrEqualTo(batch.passed());
            assertThat(batch.head()).isGreaterThanOrEqualTo(batch.passed());
        }
        assertThat(batch.sourceTime()).isGreaterThanOrEqualTo(sourceTime);
        passed = batch.passed();
        sourceTime = batch.sourceTime();
        return batch;
    }

    /** The next events, as soon as there are some. */
    public List<FeedEvent> some(int maxEvents, long maxBytes) {
        EventFeed.Batch batch = read(maxEvents, maxBytes);
        while (batch.events().isEmpty()) {
            awaitSignal();
            batch = read(maxEvents, maxBytes);
        }
        return batch.events();
    }

    /** The next so many events. */
    public List<FeedEvent> events(int count, int maxEvents) {
        List<FeedEvent> events = new ArrayList<>(some(maxEvents, Long.MAX_VALUE));
        while (events.size() < count) {
            events.addAll(some(maxEvents, Long.MAX_VALUE));
        }
        assertThat(events).hasSize(count);
        return events;
    }

    /** All events up to a position. */
    public List<FeedEvent> until(Position end) {
        List<FeedEvent> events = new ArrayList<>(read().events());
        while (passed.isBefore(end)) {
            awaitSignal();
            events.addAll(read().events());
        }
        return events;
    }

    public void awaitSourceTime(long millis) {
        read();
        while (sourceTime != millis) {
            assertThat(sourceTime).isLessThan(millis);
            awaitSignal();
            read();
        }
    }

    private void awaitSignal() {
        try {
            assertThat(signals.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("signalled")
                    .isTrue();
        } catch (InterruptedException stop) {
            throw new AssertionError("interrupted while waiting for a signal", stop);
        }
    }

    /** A reader that threw, or was closed, is of no further use. */
    public void assertOver() {
        assertThatThrownBy(() -> reader.read(1, 1))
                .isInstanceOf(FeedUnavailableException.class)
                .hasMessageContaining("closed");
    }

    @Override
    public void close() {
        reader.close();
    }
}
