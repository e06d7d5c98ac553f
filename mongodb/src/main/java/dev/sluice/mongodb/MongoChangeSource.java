package dev.sluice.mongodb;

import com.mongodb.ClientSessionOptions;
import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.ReadPreference;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import dev.sluice.capture.ChangeCursor;
import dev.sluice.capture.ChangeSource;
import dev.sluice.capture.SourceException;
import dev.sluice.capture.SourceFailure;
import dev.sluice.capture.StartPoint;
import dev.sluice.model.ClusterTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.codecs.configuration.CodecRegistries;
import org.bson.codecs.configuration.CodecRegistry;
import org.jspecify.annotations.Nullable;

/**
 * One database's change stream, from the primary, with majority read concern; or several that share its collections and
 * are merged ({@link MergedCursor}).
 *
 * <p>The stream's commands are run one by one and each reply stays one block of raw bytes, instead of the driver's
 * change stream cursor, which makes a document object and a token object per event. What that cursor does by itself
 * (reopening behind the last token after a resumable error) the capture loop does.
 *
 * <p>The least role: {@code find} and {@code changeStream} on the watched database (both in {@code read}); for {@code
 * start: earliest} and for refilling a lost disk also {@code find} on {@code local.oplog.rs}.
 */
public final class MongoChangeSource implements ChangeSource {
    private static final String APPLICATION = "sluice";
    private static final BsonInt32 ONE = new BsonInt32(1);
    private static final BsonString INITIATING = new BsonString("initiating set");
    /** Of a collection that need not exist: what counts is the time in the reply. */
    private static final BsonDocument MAJORITY_READ = new BsonDocument("find", new BsonString("sluice.now"))
            .append("limit", ONE)
            .append("singleBatch", BsonBoolean.TRUE)
            .append("readConcern", new BsonDocument("level", new BsonString("majority")));

    /** How far shards may be apart in what their majorities have; what is read once more does no harm. */
    private static final Duration SHARDS_APART = Duration.ofSeconds(5);

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);
    private static final Duration MERGED_WAIT = Duration.ofMillis(100);
    private static final CodecRegistry REPLIES = CodecRegistries.fromRegistries(
            CodecRegistries.fromCodecs(new ReplyCodec()), MongoClientSettings.getDefaultCodecRegistry());

    private final MongoSourceSettings settings;
    private final List<TenantReader> tenants;
    private final List<ReplyPatience> patience;
    private final ServerWatch servers = new ServerWatch();
    private final DriverCalls calls;
    private final PositionCheck positions;
    private @Nullable MongoClient client;
    private boolean closed;

    public MongoChangeSource(MongoSourceSettings settings) {
        this.settings = settings;
        this.calls = new DriverCalls(
                servers,
                new ReplyPatience(settings.replyLimit(), settings.batchSize()),
                settings.maxAwait(),
                settings.timeout());
        this.patience = Stream.generate(() -> new ReplyPatience(settings.replyLimit(), settings.batchSize()))
                .limit(settings.streams())
                .toList();
        this.positions = new PositionCheck(settings.timeout().plus(settings.maxAwait()), System::nanoTime);
        this.tenants = Stream.generate(() -> new TenantReader(settings.tenant(), settings.database()))
                .limit(settings.streams())
                .toList();
    }

    @Override
    public ChangeCursor open(StartPoint from) throws SourceException {
        try {
            return openAt(from);
        } catch (SourceException failed) {
            if (failed.failure() instanceof SourceFailure.Misconfigured) {
                forgetClient();
            }
            throw failed;
        } catch (RuntimeException failed) {
            throw MongoFailures.of(failed, from instanceof StartPoint.After);
        }
    }

    private ChangeCursor openAt(StartPoint from) throws SourceException {
        BsonDocument hello = ask(new BsonDocument("hello", ONE));
        ServerTraits traits = ServerTraits.of(ask(new BsonDocument("buildInfo", ONE)), hello);
        requireImages(traits);
        StartPoint begin = switch (from) {
            case StartPoint.Now now -> now(hello, traits);
            case StartPoint.At at -> requireHistory(hello, at.time(), at);
            case StartPoint.After after ->
                requireHistory(hello, after.checkpoint().time(), after);
        };
        return settings.streams() == 1
                ? open(settings, traits, 0, begin)
                : new MergedCursor(
                        settings.streams(),
                        (stream, start) ->
                                open(settings.withTimes(mergedWait(), settings.timeout()), traits, stream, start),
                        begin,
                        settings.maxAwait());
    }

    /**
     * Now, as a time: directly behind the last write that the majority had when the server was asked. A write that is applied
     * but not committed comes later in the stream, with an earlier time than the server's last applied one. What a stream opened
     * without a time begins at nobody says exactly, and several streams would each begin elsewhere.
     */
    private StartPoint now(BsonDocument hello, ServerTraits traits) throws SourceException {
        Optional<PrimaryTime> primary = PrimaryTime.of(hello);
        BsonValue last = primary.isPresent()
                ? primary.get().committed().toBson()
                : ask(MAJORITY_READ).get("operationTime");
        if (last == null) {
            // A server without a time is no member of a replica set, and says so when the stream is opened.
            return new StartPoint.Now();
        }
        ClusterTime time = ClusterTime.of(last.asTimestamp());
        // A router answers for one shard; another may be behind.
        return new StartPoint.At(
                traits.sharded()
                        ? ClusterTime.of(Math.max(0, time.t() - SHARDS_APART.toSeconds()), 0)
                        : new ClusterTime(time.value() + 1));
    }

    private MongoChangeCursor open(MongoSourceSettings settings, ServerTraits traits, int stream, StartPoint from)
            throws SourceException {
        tenants.get(stream).goOn(from);
        MongoClient open = client();
        ClientSession session = calls.reply(() -> open.startSession(
                ClientSessionOptions.builder().causallyConsistent(false).build()));
        try {
            return new MongoChangeCursor(
                    calls,
                    patience.get(stream),
                    database().withCodecRegistry(REPLIES),
                    session,
                    settings,
                    traits,
                    tenants.get(stream),
                    stream,
                    from);
        } catch (Throwable failed) {
            session.close();
            throw failed;
        }
    }

    /** A stream with nothing to tell holds up the others for as long as its server waits before it says so. */
    private Duration mergedWait() {
        return settings.maxAwait().compareTo(MERGED_WAIT) < 0 ? settings.maxAwait() : MERGED_WAIT;
    }

    @Override
    public ClusterTime oldest() throws SourceException {
        BsonDocument first = firstOfOplog();
        return first == null ? ClusterTime.ZERO : ClusterTime.of(first.getTimestamp("ts"));
    }

    /** As the primary has it: another member may begin later, because it was synced later. */
    private @Nullable BsonDocument firstOfOplog() throws SourceException {
        try {
            MongoCollection<BsonDocument> oplog = client().getDatabase("local")
                    .getCollection("oplog.rs", BsonDocument.class)
                    .withReadPreference(ReadPreference.primary());
            return calls.reply(() -> oplog.find()
                    .sort(new BsonDocument("$natural", ONE))
                    .projection(new BsonDocument("ts", ONE).append("o.msg", ONE))
                    .first());
        } catch (RuntimeException failed) {
            throw MongoFailures.of(failed, false);
        }
    }

    /**
     * Returns {@code from} if this deployment has the position in its history. A server whose oplog was never cut opens a
     * stream at any time or idle position, also at one before its own beginning or in its future: a deployment that took the
     * place of another would then hide what happened in between.
     */
    private StartPoint requireHistory(BsonDocument hello, ClusterTime time, StartPoint from) throws SourceException {
        Optional<PrimaryTime> primary = PrimaryTime.of(hello);
        SourceFailure behind = primary.isEmpty() ? null : positions.failure(primary.get(), time);
        if (behind != null) {
            throw new SourceException(behind);
        }
        requireOplog(time);
        return from;
    }

    /** Without permission to read the oplog capture goes on without this check. */
    private void requireOplog(ClusterTime time) throws SourceException {
        BsonDocument first;
        try {
            first = firstOfOplog();
        } catch (SourceException failed) {
            if (failed.failure() instanceof SourceFailure.Misconfigured) {
                return;
            }
            throw failed;
        }
        if (first != null && ClusterTime.of(first.getTimestamp("ts")).compareTo(time) > 0) {
            throw new SourceException(new SourceFailure.HistoryLost(lost(first, time)));
        }
    }

    private static String lost(BsonDocument first, ClusterTime time) {
        boolean initiated = first.getDocument("o", new BsonDocument()).containsKey("msg")
                && INITIATING.equals(first.getDocument("o").get("msg"));
        ClusterTime begin = ClusterTime.of(first.getTimestamp("ts"));
        return initiated
                ? "this replica set was initiated at " + begin + ", after the saved position " + time
                        + ": it is another deployment than the one that was captured"
                : "the oplog begins at " + begin + ", after the saved position " + time
                        + ": the changes in between are gone; a larger oplog keeps them for longer";
    }

    private void requireImages(ServerTraits traits) throws SourceException {
        if (settings.images() != Images.NONE && !traits.images()) {
            throw new SourceException(
                    new SourceFailure.Misconfigured("images need MongoDB 6.0 or newer, and this server is "
                            + traits.version() + ": set images to none for this backend, or upgrade the server"));
        }
    }

    private BsonDocument ask(BsonDocument command) throws SourceException {
        MongoDatabase database = database();
        return calls.reply(() -> database.runCommand(command, BsonDocument.class));
    }

    private MongoDatabase database() {
        return client().getDatabase(settings.database()).withReadPreference(ReadPreference.primary());
    }

    /** Made when first needed, so that a wrong connection string is this backend's failure and nobody else's. */
    private synchronized MongoClient client() {
        if (closed) {
            throw new IllegalStateException("this change source is closed");
        }
        MongoClient existing = client;
        if (existing != null) {
            return existing;
        }
        ConnectionString connection = new ConnectionString(settings.connection());
        servers.begin(connection.getRequiredReplicaSetName());
        MongoClient made = MongoClients.create(clientSettings(connection));
        client = made;
        return made;
    }

    /** The driver drops servers that do not fit the connection string and never looks at them again; a new client does. */
    private synchronized void forgetClient() {
        MongoClient open = client;
        client = null;
        if (open != null) {
            // It ends its sessions at the server, which may not answer.
            calls.attempt(open::close, CLOSE_LIMIT);
        }
    }

    /**
     * Without a socket timeout: {@link DriverCalls} tells a server that works from one that is gone. The driver's connections
     * use TCP keep-alive, and its monitors look as often as a call may wait for a server that is out of reach.
     */
    private MongoClientSettings clientSettings(ConnectionString connection) {
        int timeout = (int) settings.timeout().toMillis();
        return MongoClientSettings.builder()
                .applicationName(APPLICATION)
                .applyToClusterSettings(cluster -> cluster.serverSelectionTimeout(timeout, TimeUnit.MILLISECONDS)
                        .serverSelector(new PinnedServer())
                        .addClusterListener(servers))
                .applyToServerSettings(server -> server.heartbeatFrequency(timeout, TimeUnit.MILLISECONDS)
                        .addServerListener(servers))
                .applyToSocketSettings(socket -> socket.connectTimeout(timeout, TimeUnit.MILLISECONDS))
                .applyConnectionString(connection)
                .build();
    }

    @Override
    public long filter() {
        return settings.filter().fingerprint();
    }

    @Override
    public Duration waiting() {
        return calls.waiting();
    }

    @Override
    public void onUnreachable(Consumer<String> listener) {
        calls.onUnreachable(listener);
    }

    @Override
    public void stopWaiting() {
        calls.stop();
    }

    @Override
    public synchronized void close() {
        closed = true;
        forgetClient();
    }
}
