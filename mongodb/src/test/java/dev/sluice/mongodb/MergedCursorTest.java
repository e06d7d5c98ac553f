package dev.sluice.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.capture.SourceBatch;
import dev.sluice.capture.StartPoint;
import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.RawBson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;

/** The threads of several streams, without a server. */
class MergedCursorTest {
    private static final StartPoint FROM = new StartPoint.At(new ClusterTime(1));
    private static final Duration WAIT = Duration.ofSeconds(5);

    /** A stream whose answers after the first are made by the test. */
    private static final class Scripted implements OneOfSeveral {
        private final Supplier<StreamBatch> answer;
        private final AtomicInteger asked = new AtomicInteger();
        private final CountDownLatch closed = new CountDownLatch(1);

        Scripted(Supplier<StreamBatch> answer) {
            this.answer = answer;
        }

        @Override
        public StreamBatch nextOfSeveral(long askedAfter) {
            return asked.getAndIncrement() == 0 ? idle(1) : answer.get();
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    @Test
    void aStreamThatDiesOfAnErrorFailsTheReadInsteadOfHangingIt() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        Scripted dead = new Scripted(() -> {
            throw new StackOverflowError("no room");
        });
        List<Scripted> streams = List.of(new Scripted(() -> await(never)), dead);
        try (MergedCursor cursor = open(streams)) {
            cursor.next();
            assertThatThrownBy(cursor::next)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no room");
        }
        assertThat(dead.closed.await(20, TimeUnit.SECONDS)).isTrue();
    }

    /** What bounds memory: an answer that nobody takes is the last. */
    @Test
    void aStreamIsNotAskedAgainBeforeItsLastAnswerWasTaken() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        AtomicInteger place = new AtomicInteger(1);
        Scripted eager = new Scripted(() -> {
            answered.countDown();
            return idle(place.incrementAndGet());
        });
        CountDownLatch never = new CountDownLatch(1);
        MergedCursor cursor = open(List.of(eager, new Scripted(() -> await(never))));
        assertThat(answered.await(20, TimeUnit.SECONDS)).isTrue();
        cursor.close();
        assertThat(eager.closed.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(eager.asked).hasValue(2);
    }

    /** Each with a patience of its own, thirty of them would take longer than a shutdown may. */
    @Test
    void closingManyStreamsThatHangTakesNoLongerThanClosingOne() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch hanging = new CountDownLatch(30);
        List<Scripted> streams = new ArrayList<>();
        for (int k = 0; k < 30; k++) {
            streams.add(new Scripted(() -> {
                hanging.countDown();
                return await(never);
            }));
        }
        MergedCursor cursor = open(streams);
        assertThat(hanging.await(20, TimeUnit.SECONDS)).isTrue();
        Thread closing = Thread.ofVirtual().start(cursor::close);
        assertThat(closing.join(Duration.ofSeconds(15)))
                .as("closed before the runner gives up")
                .isTrue();
        for (Scripted stream : streams) {
            assertThat(stream.closed.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static MergedCursor open(List<Scripted> streams) throws Exception {
        return new MergedCursor(streams.size(), (stream, from) -> streams.get(stream), FROM, WAIT);
    }

    /** As a read of a connection that is silent: it ends when it is interrupted. */
    private static StreamBatch await(CountDownLatch never) {
        try {
            never.await();
            throw new AssertionError("nobody opens this");
        } catch (InterruptedException stopped) {
            throw new IllegalStateException("interrupted", stopped);
        }
    }

    private static StreamBatch idle(int place) {
        RawBson token = RawBson.of(new BsonDocument("_data", new BsonString("%016X".formatted(place))));
        Checkpoint reached = new Checkpoint(token, new ClusterTime(place));
        return new StreamBatch(
                new SourceBatch(List.of(), reached, 0, SourceBatch.OPEN), List.of(), ClusterTime.ZERO, 0);
    }
}
