package dev.sluice.mongodb;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import dev.sluice.capture.CaptureCounters;
import dev.sluice.capture.CaptureLoop;
import dev.sluice.capture.CaptureSettings;
import dev.sluice.capture.LogAppender;
import dev.sluice.capture.ReconnectLimits;
import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.devmongo.DevMongoBuilder;
import dev.sluice.devmongo.DevMongoScript;
import dev.sluice.log.Appended;
import dev.sluice.log.EventLogException;
import dev.sluice.log.EventRecord;
import dev.sluice.log.InMemoryEventLog;
import dev.sluice.log.LogRead;
import dev.sluice.model.Operation;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/** devmongo, the real driver, the capture loop and a log in memory; the test steps the loop. */
final class Rig implements AutoCloseable {
    static final String DATABASE = "app";
    private static final Duration LIMIT = Duration.ofSeconds(20);

    final DevMongo server;
    final MongoClient client;
    final InMemoryEventLog log = new InMemoryEventLog();
    MongoSourceSettings settings;
    CaptureSettings capture = CaptureSettings.of("app")
            .withReconnect(new ReconnectLimits(Duration.ofMillis(10), 50, Duration.ofMillis(200)));
    private MongoChangeSource source;
    private CaptureLoop loop;
    private boolean isBeside;
    private int repeats;
    private int diesAfter = Integer.MAX_VALUE;

    /** Nothing more reaches the log before the restart. */
    private boolean dead;

    Rig(DevMongoBuilder builder) {
        this(builder.start());
    }

    private Rig(DevMongo server) {
        this.server = server;
        client = MongoClients.create(server.connectionString());
        settings = MongoSourceSettings.of(server.connectionString(), DATABASE)
                .withTimes(Duration.ofMillis(50), Duration.ofSeconds(1));
        source = new MongoChangeSource(settings);
        loop = newLoop();
    }

    static Rig start() {
        return new Rig(DevMongo.builder()).opened();
    }

    static Rig start(UnaryOperator<DevMongoBuilder> how) {
        return new Rig(how.apply(DevMongo.builder())).opened();
    }

    /** Another capture of the same server, from its beginning, into a log of its own. */
    Rig beside(UnaryOperator<MongoSourceSettings> change) {
        Rig other = new Rig(server);
        other.isBeside = true;
        other.capture = capture.withStart(CaptureSettings.Start.EARLIEST);
        return other.restart(change);
    }

    /** Another capture of the same server, from now on, into a log of its own. */
    Rig besideFromNow(UnaryOperator<MongoSourceSettings> change) {
        Rig other = new Rig(server);
        other.isBeside = true;
        return other.restart(change);
    }

    private CaptureLoop newLoop() {
        return new CaptureLoop(
                capture, source, log, new Direct(), null, InstantSource.system(), System::nanoTime, new Random(3));
    }

    /** As after a crash: only the log is left. */
    Rig restart(UnaryOperator<MongoSourceSettings> change) {
        source.close();
        dead = false;
        settings = change.apply(settings);
        source = new MongoChangeSource(settings);
        loop = newLoop();
        return this;
    }

    /** As after a {@code kill -9} in the middle of a batch: so many of its events are in the log, its position is not. */
    Rig killedAfter(int events) {
        diesAfter = events;
        return until(() -> dead);
    }

    Rig restart() {
        return restart(same -> same);
    }

    /** Until the stream is open and its position stored. */
    Rig opened() {
        return until(() -> log.state().checkpoint() != null);
    }

    Rig until(BooleanSupplier holds) {
        long start = System.nanoTime();
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() - start > LIMIT.toNanos()) {
                throw new AssertionError("still not after " + LIMIT + ": status "
                        + loop.state().status() + ", " + loop.state().reason() + ", log " + logged());
            }
            step();
        }
        return this;
    }

    Rig untilLogged(int events) {
        return until(() -> log.state().events() >= events);
    }

    /** The pause that capture asks for after the step with which the log has so many events; pauses are not kept. */
    Duration pauseWhenLogged(int events) {
        try {
            Duration pause = loop.step();
            for (int steps = 1; log.state().events() < events && steps < 1_000; steps++) {
                pause = loop.step();
            }
            return pause;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    Rig steps(int count) {
        for (int k = 0; k < count; k++) {
            step();
        }
        return this;
    }

    private void step() {
        try {
            Duration pause = loop.step();
            if (!pause.isZero() && pause.compareTo(CaptureLoop.FOREVER) < 0) {
                Thread.sleep(pause);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** As a process that was told to stop. */
    void stopWaiting() {
        source.stopWaiting();
    }

    DevMongoScript script() {
        return server.script();
    }

    MongoDatabase database() {
        return client.getDatabase(DATABASE);
    }

    MongoCollection<Document> collection(String name) {
        return database().getCollection(name);
    }

    void insert(String collection, Object... ids) {
        for (Object id : ids) {
            collection(collection).insertOne(new Document("_id", id));
        }
    }

    void transaction(String collection, int from, int to) {
        try (ClientSession session = client.startSession()) {
            session.withTransaction(() -> {
                for (int k = from; k < to; k++) {
                    collection(collection).insertOne(session, new Document("_id", "t" + k));
                }
                return to;
            });
        }
    }

    CaptureLoop loop() {
        return loop;
    }

    CaptureCounters counters() {
        return loop.state().counters();
    }

    int repeats() {
        return repeats;
    }

    List<EventRecord> logged() {
        return log.read(log.state().evictedThrough().position(), Integer.MAX_VALUE, Long.MAX_VALUE)
                        instanceof LogRead.Entries entries
                ? entries.entries().stream().map(entry -> entry.event()).toList()
                : List.of();
    }

    List<String> documents() {
        return logged().stream()
                .filter(event -> event.operation().isData())
                .map(event -> event.documentId().text())
                .toList();
    }

    List<Operation> operations() {
        return logged().stream().map(EventRecord::operation).toList();
    }

    @Override
    public void close() {
        loop.close();
        source.close();
        client.close();
        if (!isBeside) {
            server.close();
        }
    }

    private final class Direct implements LogAppender {
        @Override
        public void submit(List<EventRecord> records, @Nullable Checkpoint checkpoint) {
            if (dead) {
                return;
            }
            if (records.size() > diesAfter) {
                log.append(records.subList(0, diesAfter), null);
                diesAfter = Integer.MAX_VALUE;
                dead = true;
                return;
            }
            Appended appended = log.append(records, checkpoint);
            repeats += appended.repeats();
        }

        @Override
        public @Nullable EventLogException failure() {
            return null;
        }

        @Override
        public boolean flush() {
            return true;
        }

        @Override
        public void reset() {}
    }
}
