package dev.sluice.server.puller;

import static dev.sluice.server.puller.PullerSetup.await;
import static dev.sluice.server.puller.PullerSetup.get;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.mongodb.client.MongoClients;
import dev.sluice.client.ConsumerOptions;
import dev.sluice.client.EventConsumer;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.log.EventRecord;
import dev.sluice.log.EventRecordEncoder;
import dev.sluice.log.InMemoryEventLog;
import dev.sluice.log.LiveTail;
import dev.sluice.log.LogReader;
import dev.sluice.log.SegmentLimits;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.Operation;
import dev.sluice.model.ProgressMarker;
import dev.sluice.stream.ConsumerStatus;
import dev.sluice.stream.ConsumersView;
import dev.sluice.stream.EventSink;
import dev.sluice.stream.EventStream;
import dev.sluice.stream.MarkerText;
import dev.sluice.stream.Step;
import dev.sluice.stream.StreamLimits;
import dev.sluice.stream.StreamRequest;
import dev.sluice.stream.WindowBudget;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.bson.BsonDocument;
import org.bson.Document;
import org.bson.types.Binary;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** Operators hear of a consumer in danger while there is still time, and once. */
@Timeout(120)
@Isolated("it reads the log, and what other tests set decides what is logged")
class OvertakeWatchTest {
    private static final long RETENTION = 1_800;
    private static final long BEGIN = 10_000;

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.sluice.retention");
    private final ListAppender<ILoggingEvent> warnings = new ListAppender<>();

    private final InMemoryEventLog log = new InMemoryEventLog(new SegmentLimits(1, 1));
    private final LiveTail tail = new LiveTail(log.state().head().position(), 10, 1 << 20);
    private final ConsumersView consumers = new ConsumersView(10);
    private final OvertakeWatch watch = new OvertakeWatch(consumers);
    private final EventRecordEncoder encoder = new EventRecordEncoder();
    private long second = BEGIN;
    private ConsumerStatus status;

    @BeforeEach
    void listen() {
        logger.setLevel(Level.WARN); // whatever the tests before this one set
        warnings.start();
        logger.addAppender(warnings);
    }

    @AfterEach
    void listenNoMore() {
        logger.detachAppender(warnings);
        logger.setLevel(null);
    }

    @Test
    void theWarningComesOnceAndBeforeRetentionOvertakesAConsumerThatStands() {
        aSecondPasses();
        try (var stream = stream()) {
            assertThat(step(stream)).isInstanceOf(Step.Sent.class);
            consumers.admit(1, () -> status);
            while (warnings.list.isEmpty()) {
                aSecondPasses();
                look(stream);
            }
            var warnedAt = second;
            var announced = keyValue("seconds");
            while (log.state().evictedThrough().id().time().t() <= BEGIN + 1) {
                aSecondPasses();
                look(stream);
            }
            System.out.printf("announced %d s, came after %d s%n", announced, second - warnedAt);
            assertThat(step(stream)).as("now it is overtaken").isInstanceOf(Step.OutOfRange.class);
            assertThat(warnings.list).hasSize(1);
            assertThat(announced).isBetween(second - warnedAt - 20, second - warnedAt + 20);
            assertThat(second - warnedAt).isGreaterThan(OvertakeWatch.WARN_BEFORE.toSeconds() / 2);
        }
    }

    @Test
    void whoRecoversAndFallsBehindAgainIsWarnedOfAgainAndWhoKeepsUpNever() {
        aSecondPasses();
        try (var stream = stream()) {
            consumers.admit(1, () -> status);
            for (var round = 1; round <= 2; round++) {
                while (warnings.list.size() < round) {
                    aSecondPasses();
                    look(stream);
                }
                while (step(stream) instanceof Step.Sent) {
                    // catches up
                }
                for (var quiet = 0; quiet < 100; quiet++) {
                    aSecondPasses();
                    step(stream);
                    look(stream);
                }
                assertThat(warnings.list).hasSize(round);
            }
        }
    }

    /** One event, and what is too old leaves. */
    private void aSecondPasses() {
        second++;
        assertThat(second).as("the warning should have come long ago").isLessThan(BEGIN + 10 * RETENTION);
        EventRecord event = encoder.id(ClusterTime.of(second, 1), second)
                .operation(Operation.DELETE)
                .collection("c")
                .documentId(new DocumentId(DocumentId.Kind.STRING, "d" + second))
                .timestamp(second * 1000)
                .encode();
        tail.publish(log.append(List.of(event), null));
        log.evict(ClusterTime.of(second - RETENTION, 1));
    }

    private EventStream stream() {
        return new EventStream(
                new TreeMap<>(Map.of("a", new LogReader(log, tail))),
                StreamRequest.after(ProgressMarker.NOWHERE),
                StreamLimits.DEFAULT.withRetention(Duration.ofSeconds(RETENTION)),
                new WindowBudget(1 << 20),
                nanos());
    }

    private Step step(EventStream stream) {
        return stream.step(new Nowhere(), 1_000, Long.MAX_VALUE, nanos());
    }

    private void look(EventStream stream) {
        status = new ConsumerStatus(
                1, "billing", "peer", Instant.EPOCH, ConsumerStatus.State.PAUSED, 1, stream.positions(nanos()));
        watch.look();
    }

    private long nanos() {
        return Duration.ofSeconds(second).toNanos();
    }

    private long keyValue(String key) {
        return warnings.list.getFirst().getKeyValuePairs().stream()
                .filter(pair -> pair.key.equals(key))
                .mapToLong(pair -> ((Number) pair.value).longValue())
                .findFirst()
                .orElseThrow();
    }

    private static final class Nowhere implements EventSink {
        @Override
        public void event(
                String backend, EventRecord event, int ordinal, boolean lastState, int partition, MarkerText marker) {}

        @Override
        public void heartbeat(String backend, ClusterTime time, MarkerText marker) {}

        @Override
        public long bytes() {
            return 0;
        }
    }

    @Test
    void theAdminApiShowsTheTimeThatIsLeftAndWarns(@TempDir Path data) throws Exception {
        var go = new CountDownLatch(1);
        try (var mongo = DevMongo.builder().start();
                var client = MongoClients.create(mongo.connectionString());
                var role = new PullerSetup(data)
                        .backend("shop", mongo)
                        .puller("cleaner: {retention: 5m}\n")
                        .start();
                var consumer = EventConsumer.options()
                        .label("billing")
                        .address("127.0.0.1:" + role.puller().port())
                        .start(ConsumerOptions.Start.OLDEST)
                        .start(event -> go.await());
                AutoCloseable letGo = go::countDown) {
            var orders = client.getDatabase("shop").getCollection("orders");
            var admin = role.http().adminPort();
            await("connected", () -> !consumer(admin).isEmpty());
            assertThat(consumer(admin).get("overtakenInSeconds").isNull()).isTrue();
            assertThat(consumer(admin).get("warning").isNull()).isTrue();
            await("in danger", () -> {
                orders.insertOne(new Document("big", new Binary(new byte[200_000])));
                return consumer(admin).isString("warning");
            });
            var endangered = consumer(admin);
            assertThat(endangered.getNumber("overtakenInSeconds").longValue())
                    .isBetween(1L, OvertakeWatch.WARN_BEFORE.toSeconds());
            assertThat(endangered.getString("warning").getValue())
                    .contains("retention overtakes this consumer in")
                    .contains("puller.cleaner.retention");
            go.countDown();
            await("out of it", () -> consumer(admin).isNull("overtakenInSeconds"));
            assertThat(consumer.marker()).isNotEmpty();
            assertThat(letGo).isNotNull();
        }
    }

    private static BsonDocument consumer(int admin) {
        var listed =
                BsonDocument.parse(get(admin, "/admin/v1/consumers").body()).getArray("consumers");
        return listed.isEmpty() ? new BsonDocument() : listed.getFirst().asDocument();
    }
}
