package dev.sluice.devmongo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.devmongo.Recording.Step;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;

/**
 * Replays one recording against a fresh server, step by step, over two connections as it was recorded. What happened
 * outside the recorded connections (a killOp, a shutdown, a roll-over, a periodic no-op) is done here at the same step.
 * The clock stands still within a step. Before each read of a stream the commit point is put where the recorded reply's {@code operationTime} says it was, so
 * that batches split where they were split.
 */
final class RecordedScenario implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final BsonInt32 ONE = new BsonInt32(1);

    private final Recording recording;
    private final DevMongo server;
    private final DevMongoScript script;
    private final Translation translation = new Translation();
    private final ReplyComparison comparison = new ReplyComparison(translation);
    private final List<CompletableFuture<BsonDocument>> waiting = new ArrayList<>();
    private final AtomicLong seconds = new AtomicLong(1_800_000_000);
    private RawClient writer;
    private RawClient reader;
    private BsonTimestamp afterSetup = new BsonTimestamp(0, 0);
    private BsonDocument lastReply = new BsonDocument();
    private long lastNanos;
    private BsonTimestamp recordedOldest;
    private BsonTimestamp oldest;

    RecordedScenario(Recording recording) throws IOException {
        this.recording = recording;
        AtomicLong uuids = new AtomicLong();
        DevMongoBuilder builder = DevMongo.builder()
                .version("4.4")
                .clock(() -> Instant.ofEpochSecond(seconds.get()))
                .noopEvery(Duration.ofDays(1))
                .uuids(() -> new UUID(0x4000L, 0x8000_0000_0000_0000L + uuids.incrementAndGet()));
        server = is("21") ? builder.standalone().start() : builder.start();
        script = server.script();
        connect();
        setUp();
    }

    private boolean is(String number) {
        return recording.name().startsWith(number);
    }

    private void connect() throws IOException {
        writer = new RawClient(server.port());
        reader = new RawClient(server.port());
    }

    /** The recorder dropped the database before each scenario and made two collections; ids decide the order of drops. */
    private void setUp() throws IOException {
        if (!is("21")) {
            create("outbox", "orders");
            reset();
            afterSetup = script.newest();
        }
    }

    private void reset() throws IOException {
        writer.run(new BsonDocument("dropDatabase", ONE).append("$db", new BsonString("app")));
        if (is("15")) {
            create("outbox", "orders");
        } else {
            create("orders", "outbox");
        }
    }

    private void create(String... collections) throws IOException {
        for (String collection : collections) {
            writer.run(new BsonDocument("create", new BsonString(collection)).append("$db", new BsonString("app")));
        }
    }

    void replay() throws Exception {
        for (Step step : recording.steps()) {
            seconds.incrementAndGet();
            before(step);
            if (step.isFact()) {
                fact(step);
            } else if (step.sawClosedConnection()) {
                closed(step);
            } else {
                compare(step, answer(step));
            }
        }
    }

    private void compare(Step step, BsonDocument live) {
        lastReply = live;
        assertThat(comparison.differences(step.reply(), live))
                .as("%s step %d: %s", recording.name(), step.number(), step.label())
                .isEmpty();
    }

    private BsonDocument answer(Step step) throws Exception {
        if (!waiting.isEmpty() && step.readsStream()) {
            return finishWaiting();
        }
        if (step.readsStream()) {
            holdWhereRecorded(step);
        }
        if (step.label().endsWith("while getMore waits")) {
            sendWaiting(step);
            interrupt(step);
            return finishWaiting();
        }
        long start = System.nanoTime();
        BsonDocument reply = client(step).run(impatient(step, translation.request(step.request())));
        lastNanos = System.nanoTime() - start;
        return reply;
    }

    /** A half-second wait that brought nothing is cut short; the longer ones are waited for, and measured. */
    private static BsonDocument impatient(Step step, BsonDocument request) {
        boolean broughtNothing = step.reply().isDocument("cursor")
                && step.reply()
                        .getDocument("cursor")
                        .getArray("nextBatch", new BsonArray(List.of(ONE)))
                        .isEmpty();
        return broughtNothing && request.getNumber("maxTimeMS", ONE).intValue() == 500
                ? request.append("maxTimeMS", new BsonInt32(25))
                : request;
    }

    private RawClient client(Step step) {
        return step.readsStream() ? reader : writer;
    }

    private void holdWhereRecorded(Step step) {
        if (is("21")) {
            return;
        }
        BsonTimestamp recorded = step.reply().getTimestamp("operationTime");
        if (translation.isNewest(recorded)) {
            translation.pairTime(recorded, script.noop());
        } else if (translation.isOldest(recorded)) {
            translation.pairTime(recorded, afterSetup);
        }
        script.holdCommitted(translation.time(recorded));
    }

    private void sendWaiting(Step step) throws Exception {
        BsonDocument request = translation.request(step.request());
        RawClient client = reader;
        waiting.add(CompletableFuture.supplyAsync(() -> {
            try {
                return client.run(request);
            } catch (IOException gone) {
                return new BsonDocument("clientSaw", new BsonString(gone.toString()));
            }
        }));
        assertThat(script.awaitBlockedReads(1, PATIENCE)).isTrue();
    }

    private BsonDocument finishWaiting() throws InterruptedException, ExecutionException, TimeoutException {
        return waiting.removeFirst().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** What another client did while the read waited. */
    private void interrupt(Step step) throws IOException {
        BsonValue cursor = translation.request(step.request()).get("getMore");
        if (step.label().startsWith("killOp")) {
            admin(new BsonDocument("killOp", ONE).append("op", waitingOperation()));
        } else if (step.label().startsWith("killCursors")) {
            writer.run(new BsonDocument("killCursors", new BsonString("$cmd.aggregate"))
                    .append(
                            "cursors",
                            new BsonArray(List.of(new BsonInt64(cursor.asInt64().getValue()))))
                    .append("$db", new BsonString("app")));
        } else if (step.label().startsWith("killSessions")) {
            admin(new BsonDocument(
                    "killSessions", new BsonArray(List.of(step.request().getDocument("lsid")))));
        }
    }

    private BsonValue waitingOperation() throws IOException {
        return admin(new BsonDocument("currentOp", ONE)).getArray("inprog").stream()
                .map(BsonValue::asDocument)
                .filter(operation -> operation.getString("op").getValue().equals("getmore"))
                .findFirst()
                .orElseThrow()
                .get("opid");
    }

    private BsonDocument admin(BsonDocument command) throws IOException {
        return writer.run(command.append("$db", new BsonString("admin")));
    }

    /** Outside actions between recorded steps. */
    private void before(Step step) throws Exception {
        switch (recording.name().substring(0, 2) + "#" + step.number()) {
            case "18#18" -> reset();
            case "22#11" -> waitFirst(12);
            case "22#19" -> script.stepUp();
            case "22#24" -> waitFirst(25);
            case "22#26", "22#32" -> {
                script.start();
                connect();
            }
            default -> {}
        }
    }

    /** Two steps are recorded in the order of their replies: the read of the second was sent before the first. */
    private void waitFirst(int number) throws Exception {
        Step later = recording.steps().get(number - 1);
        holdWhereRecorded(later);
        sendWaiting(later);
    }

    private void closed(Step step) throws Exception {
        if (step.label().startsWith("kill -9")) {
            script.holdCommitted(null);
            sendWaiting(step);
            script.kill();
            assertThat(finishWaiting()).containsKey("clientSaw");
            return;
        }
        BsonDocument request = step.request();
        try {
            BsonDocument reply = writer.run(request);
            throw new AssertionError("The connection should have closed, but there was a reply: " + reply);
        } catch (EOFException expected) {
            assertThat(expected).hasMessageContaining("closed by server");
        }
    }

    private void fact(Step step) {
        switch (recording.name().substring(0, 2) + "#" + step.number()) {
            case "14#18", "14#20" ->
                assertThat(lastNanos / 1e9)
                        .as("seconds waited")
                        .isGreaterThan(step.reply().getDouble("seconds").getValue() * 0.95);
            case "18#21" -> {
                BsonDocument event = lastReply
                        .getDocument("cursor")
                        .getArray("nextBatch")
                        .get(0)
                        .asDocument();
                assertThat(dev.sluice.devmongo.wire.BsonBytes.size(event))
                        .isEqualTo(step.reply().getInt32("event").getValue());
                assertThat(reader.lastReplyBytes())
                        .isEqualTo(step.reply().getInt32("reply").getValue());
            }
            case "20#2" -> {
                recordedOldest = step.reply().getTimestamp("ts");
                oldest = script.oldest();
            }
            case "20#7" -> rollOver(step);
            case "20#1" -> assertThat(step.reply().containsKey("maxSize")).isTrue();
            default -> throw new AssertionError("Nobody decided how to replay " + step.label());
        }
    }

    /** Recorded and live: the event last seen was in the oplog, and then no longer. */
    private void rollOver(Step step) {
        BsonTimestamp recordedSeen = step.reply().getTimestamp("lastSeenEventClusterTime");
        BsonTimestamp seen = translation.time(recordedSeen);
        script.rollOplogOver();
        assertThat(recordedSeen)
                .isBetween(recordedOldest, step.reply().getTimestamp("ts"))
                .isNotEqualTo(step.reply().getTimestamp("ts"));
        assertThat(seen).isBetween(oldest, script.oldest()).isNotEqualTo(script.oldest());
    }

    @Override
    public void close() throws IOException {
        writer.close();
        reader.close();
        server.close();
    }
}
