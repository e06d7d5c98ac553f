package dev.sluice.mongodb;

import com.mongodb.ClientSessionOptions;
import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.ReadPreference;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import dev.sluice.capture.ChangeCursor;
import dev.sluice.capture.ChangeSource;
import dev.sluice.capture.SourceException;
import dev.sluice.capture.SourceFailure;
import dev.sluice.capture.StartPoint;
import dev.sluice.model.ClusterTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
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
    private static final Duration MERGED_WAIT = Duration.ofMillis(100);
    private static final CodecRegistry REPLIES = CodecRegistries.fromRegistries(
            CodecRegistries.fromCodecs(new ReplyCodec()), MongoClientSettings.getDefaultCodecRegistry());

    private final MongoSourceSettings settings;
    private final List<TenantReader> tenants;
    private @Nullable MongoClient client;
    private boolean closed;

    public MongoChangeSource(MongoSourceSettings settings) {
        this.settings = settings;
        this.tenants = Stream.generate(() -> new TenantReader(settings.tenant(), settings.database()))
                .limit(settings.streams())
                .toList();
    }

    @Override
    public ChangeCursor open(StartPoint from) throws SourceException {
        boolean withToken = from instanceof StartPoint.After;
        switch (from) {
            case StartPoint.At at -> requireHistory(at.time());
            case StartPoint.After after -> requireHistory(after.checkpoint().time());
            case StartPoint.Now now -> {}
        }
        try {
            BsonDocument hello = ask("hello");
            ServerTraits traits = ServerTraits.of(ask("buildInfo"), hello);
            requireImages(traits);
            StartPoint begin = from instanceof StartPoint.Now ? behind(hello) : from;
            return settings.streams() == 1
                    ? open(settings, traits, 0, begin)
                    : new MergedCursor(
                            settings.streams(),
                            (stream, start) ->
                                    open(settings.withTimes(mergedWait(), settings.timeout()), traits, stream, start),
                            begin,
                            settings.maxAwait());
        } catch (RuntimeException failed) {
            throw MongoFailures.of(failed, withToken);
        }
    }

    /**
     * Now, as a time: directly behind the last write the server had when it was asked. What a stream opened without a time
     * begins at nobody says exactly, and several streams would each begin elsewhere.
     */
    private static StartPoint behind(BsonDocument hello) {
        BsonValue last = hello.get("operationTime");
        // A server without a time is no member of a replica set, and says so when the stream is opened.
        return last == null
                ? new StartPoint.Now()
                : new StartPoint.At(
                        new ClusterTime(ClusterTime.of(last.asTimestamp()).value() + 1));
    }

    private MongoChangeCursor open(MongoSourceSettings settings, ServerTraits traits, int stream, StartPoint from)
            throws SourceException {
        tenants.get(stream).goOn(from);
        ClientSession session = client().startSession(
                        ClientSessionOptions.builder().causallyConsistent(false).build());
        try {
            return new MongoChangeCursor(
                    database().withCodecRegistry(REPLIES),
                    session,
                    settings,
                    traits,
                    tenants.get(stream),
                    stream,
                    from);
        } catch (RuntimeException | SourceException failed) {
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
        try {
            RawBsonDocument first = client().getDatabase("local")
                    .getCollection("oplog.rs", RawBsonDocument.class)
                    .find()
                    .sort(new BsonDocument("$natural", new BsonInt32(1)))
                    .projection(new BsonDocument("ts", new BsonInt32(1)))
                    .first();
            return first == null ? ClusterTime.ZERO : ClusterTime.of(first.getTimestamp("ts"));
        } catch (RuntimeException failed) {
            throw MongoFailures.of(failed, false);
        }
    }

    /**
     * A server whose oplog was never cut opens a stream at any time or idle position, also at one before its own
     * beginning: a deployment that took the place of another would then hide what happened in between. Whoever may not
     * read the oplog goes on without this check.
     */
    private void requireHistory(ClusterTime time) throws SourceException {
        ClusterTime oldest;
        try {
            oldest = oldest();
        } catch (SourceException failed) {
            if (failed.failure() instanceof SourceFailure.Misconfigured) {
                return;
            }
            throw failed;
        }
        if (oldest.compareTo(time) > 0) {
            throw new SourceException(new SourceFailure.HistoryLost(
                    "the oplog begins at " + oldest + ", after " + time + ": is this the same deployment?"));
        }
    }

    private void requireImages(ServerTraits traits) throws SourceException {
        if (settings.images() != Images.NONE && !traits.images()) {
            throw new SourceException(
                    new SourceFailure.Misconfigured("images need MongoDB 6.0 or newer, and this server is "
                            + traits.version() + ": set images to none for this backend, or upgrade the server"));
        }
    }

    private BsonDocument ask(String command) {
        return database().runCommand(new BsonDocument(command, new BsonInt32(1)), BsonDocument.class);
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
        MongoClient made = MongoClients.create(clientSettings());
        client = made;
        return made;
    }

    private MongoClientSettings clientSettings() {
        int timeout = (int) settings.timeout().toMillis();
        int patience = timeout + (int) settings.maxAwait().toMillis();
        return MongoClientSettings.builder()
                .applicationName(APPLICATION)
                .applyToClusterSettings(cluster -> cluster.serverSelectionTimeout(timeout, TimeUnit.MILLISECONDS)
                        .serverSelector(new PinnedServer()))
                .applyToSocketSettings(socket -> socket.connectTimeout(timeout, TimeUnit.MILLISECONDS)
                        .readTimeout(patience, TimeUnit.MILLISECONDS))
                .applyConnectionString(new ConnectionString(settings.connection()))
                .build();
    }

    @Override
    public synchronized void close() {
        closed = true;
        MongoClient open = client;
        client = null;
        if (open != null) {
            open.close();
        }
    }
}
