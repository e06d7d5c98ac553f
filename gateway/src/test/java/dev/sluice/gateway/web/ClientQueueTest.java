package dev.sluice.gateway.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClientQueueTest {
    private static final WebLimits SMALL = new WebLimits(9, 9, 9, 9, 3, 1_000, 2_000, Duration.ofSeconds(1));

    private final QueueMemory memory = new QueueMemory(SMALL.queuedBytesInAll());
    private final WebCounters counters = new WebCounters();
    private final AtomicInteger cutOff = new AtomicInteger();
    private final ClientQueue queue = queue();

    private ClientQueue queue() {
        return new ClientQueue(SMALL, memory, counters, cutOff::incrementAndGet);
    }

    private static ClientMessage message(int bytes) {
        return ClientMessage.of("x".repeat(bytes));
    }

    private static ClientMessage event(String id, int bytes) {
        return ClientMessage.around("<", new EncodedEvent(id, new byte[bytes]), ">");
    }

    private static ClientMessage take(ClientQueue from) throws InterruptedException {
        return from.take(Duration.ZERO);
    }

    @Test
    void whatIsPutComesOutInOrder() throws Exception {
        ClientMessage a = message(1);
        ClientMessage b = message(1);
        queue.put(a);
        queue.put(b);
        assertThat(take(queue)).isSameAs(a);
        assertThat(take(queue)).isSameAs(b);
        assertThat(take(queue)).isNull();
        assertThat(memory.bytes()).isZero();
        assertThat(counters.sentMessages()).isEqualTo(2);
    }

    @Test
    void oneMessageTooManyClosesItOnceAndForgetsWhatWaits() throws Exception {
        for (int k = 0; k < 5; k++) {
            queue.put(message(1));
        }
        assertThat(cutOff).hasValue(1);
        assertThat(counters.cutOffs()).isOne();
        assertThat(counters.droppedMessages()).isEqualTo(3);
        assertThat(queue.isClosed()).isTrue();
        assertThat(take(queue)).isNull();
        assertThat(memory.bytes()).isZero();
    }

    @Test
    void aSingleMessageMayBeLongerThanAllTogether() throws Exception {
        queue.put(message(5_000));
        assertThat(cutOff).hasValue(0);
        queue.put(message(1));
        assertThat(cutOff).hasValue(1);
        assertThat(memory.bytes()).isZero();
    }

    /** However many there are and however empty each is. */
    @Test
    void allQueuesTogetherStayWithinOneBoundAndWhoeverDoesNotFitIsCutOff() {
        List<ClientQueue> queues = Stream.generate(this::queue).limit(100).toList();
        for (int k = 0; k < queues.size(); k++) {
            queues.get(k).put(event("event " + k, 500));
            assertThat(memory.bytes()).isLessThanOrEqualTo(SMALL.queuedBytesInAll());
        }
        assertThat(queues.stream().filter(ClientQueue::isClosed)).hasSize(cutOff.get());
        assertThat(queues.stream().filter(each -> !each.isClosed())).hasSize(3);
    }

    @Test
    void anEventThatWaitsForManyIsKeptAndCountedOnce() throws Exception {
        List<ClientQueue> queues = Stream.generate(this::queue).limit(10).toList();
        queues.forEach(each -> each.put(event("same", 900)));
        assertThat(cutOff).hasValue(0);
        assertThat(memory.bytes()).isEqualTo(900 + 10 * (2 + QueueMemory.OVERHEAD));
        EncodedEvent first = take(queues.getFirst()).event();
        for (ClientQueue each : queues.subList(1, 10)) {
            assertThat(take(each).event()).isSameAs(first);
        }
        assertThat(memory.bytes()).as("while it is being written").isGreaterThan(900);
        queues.forEach(ClientQueue::close);
        assertThat(memory.bytes()).isZero();
    }

    @Test
    void theSameEventWithAnotherDocumentIsNotShared() throws Exception {
        ClientQueue other = queue();
        queue.put(event("same", 100));
        other.put(event("same", 101));
        assertThat(take(queue).event().json()).hasSize(100);
        assertThat(take(other).event().json()).hasSize(101);
        queue.close();
        other.close();
        assertThat(memory.bytes()).isZero();
    }

    @Test
    void whenAllTogetherHaveTooMuchTheOneWithMostGoes() {
        ClientQueue hoarder = queue();
        hoarder.put(event("a", 450));
        hoarder.put(event("b", 450));
        ClientQueue slow = queue();
        slow.put(event("c", 600));
        queue.put(event("d", 300));
        assertThat(hoarder.isClosed()).isTrue();
        assertThat(List.of(slow.isClosed(), queue.isClosed())).containsOnly(false);
        assertThat(cutOff).hasValue(1);
        assertThat(memory.bytes()).isEqualTo(900 + 2 * (2 + QueueMemory.OVERHEAD));
    }

    @Test
    void aMessageCountsUntilItIsWritten() throws Exception {
        queue.put(message(1_500));
        assertThat(take(queue)).isNotNull();
        ClientQueue other = queue();
        other.put(message(300));
        assertThat(queue.isClosed()).as("nothing waits but what it writes").isFalse();
        other.put(message(400));
        assertThat(queue.isClosed()).isTrue();
        assertThat(memory.bytes()).isEqualTo(2 * QueueMemory.OVERHEAD + 700);
    }

    @Test
    void aClosedQueueTakesNothingAndTellsNobody() throws Exception {
        queue.put(message(1));
        queue.close();
        queue.put(message(1));
        assertThat(take(queue)).isNull();
        assertThat(cutOff).hasValue(0);
        assertThat(memory.bytes()).isZero();
    }

    @Test
    void aLargeMessageIsWrittenInPiecesOfWholeCharacters() throws Exception {
        String text = "ä€😀".repeat(10_000);
        EncodedEvent event = new EncodedEvent("large", text.getBytes(StandardCharsets.UTF_8));
        StringBuilder written = new StringBuilder();
        AtomicInteger pieces = new AtomicInteger();
        AtomicInteger lasts = new AtomicInteger();
        ClientMessage.around("(", event, ")").write((bytes, from, length, last) -> {
            assertThat(lasts).hasValue(0);
            written.append(new String(bytes, from, length, StandardCharsets.UTF_8));
            pieces.incrementAndGet();
            lasts.addAndGet(last ? 1 : 0);
        });
        assertThat(written.toString()).isEqualTo("(" + text + ")");
        assertThat(pieces).hasValueGreaterThan(5);
        assertThat(lasts).hasValue(1);
    }
}
