package dev.sluice.mongodb;

import com.mongodb.ReadPreference;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoDatabase;
import dev.sluice.capture.ChangeCursor;
import dev.sluice.capture.SourceBatch;
import dev.sluice.capture.SourceException;
import dev.sluice.capture.StartPoint;
import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.RawBson;
import java.time.Duration;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One open change stream: asks, and finds its way around events that are too large for the server to send. */
final class MongoChangeCursor implements ChangeCursor, OneOfSeveral {
    private static final Logger LOG = LoggerFactory.getLogger(MongoChangeCursor.class);
    /** How long closing waits for the server to forget the cursor; it forgets it by itself later. */

    /** MongoDB ends a reply at 16 MiB, whatever is left: one of half that size may have been cut off. */
    private static final int FULL_REPLY_BYTES = 8 << 20;

    private static final Duration KILL_LIMIT = Duration.ofSeconds(1);

    private final DriverCalls calls;
    private final ReplyPatience patience;
    private final MongoDatabase database;
    private final ClientSession session;
    private final ServerTraits traits;
    private final StreamCommands commands;
    private final TenantReader tenants;
    private final ReplyReader reader;

    private StartPoint position;
    private Reading reading = Reading.NORMAL;
    /** Events read one by one since a reply was too large. */
    private int readSingly;
    /** Whether the last command got no answer: then the server cannot be asked to forget the cursor either. */
    private boolean unanswered;
    /** Whether the last read threw: the server may have passed what it did not bring. */
    private boolean failed;
    /** Whether the last reply had some events, but fewer than it might have had: the source has no backlog. */
    private boolean caughtUp;

    private final int batchSize;
    private final Duration batchInterval;
    private @Nullable RawReply opening;
    private long cursorId;
    /** At or before the position's token: tokens are opaque, so this is what the events and replies tell. */
    private ClusterTime safeTime;

    private ClusterTime answeredAt = ClusterTime.ZERO;
    /** Up to here, and including it, nothing is left to read; zero when that is not known. */
    private ClusterTime emptyThrough = ClusterTime.ZERO;

    /**
     * @param patience this stream's
     * @param stream which of the settings' streams this is, from 0
     */
    MongoChangeCursor(
            DriverCalls calls,
            ReplyPatience patience,
            MongoDatabase database,
            ClientSession session,
            MongoSourceSettings settings,
            ServerTraits traits,
            TenantReader tenants,
            int stream,
            StartPoint from)
            throws SourceException {
        this.calls = calls;
        this.patience = patience;
        this.database = database;
        this.session = session;
        this.traits = traits;
        this.tenants = tenants;
        this.batchSize = settings.batchSize();
        this.batchInterval = settings.batchInterval();
        this.commands = new StreamCommands(settings, settings.filter().share(stream, settings.streams()));
        this.reader = new ReplyReader(
                new EventNormalizer(settings.filter(), settings.images() == Images.NONE, tenants),
                settings.streams() > 1);
        this.position = from;
        RawReply reply = open();
        this.opening = reply;
        this.safeTime = switch (from) {
            case StartPoint.Now now -> reply.operationTime;
            case StartPoint.At at -> at.time();
            case StartPoint.After after -> after.checkpoint().time();
        };
    }

    @Override
    public SourceBatch next() throws SourceException {
        if (failed) {
            throw new IllegalStateException("a stream that failed is not read on: open it again");
        }
        failed = true;
        RawReply reply = opening;
        opening = null;
        SourceBatch batch = take(reply == null ? more() : reply);
        failed = false;
        return batch;
    }

    @Override
    public Duration interval() {
        return caughtUp ? batchInterval : Duration.ZERO;
    }

    @Override
    public StreamBatch nextOfSeveral(long askedAfter) throws SourceException {
        SourceBatch batch = next();
        return new StreamBatch(batch, reader.tokens(), emptyThrough, askedAfter);
    }

    private RawReply more() throws SourceException {
        if (cursorId == 0) {
            return open();
        }
        try {
            return run(commands.more(cursorId, reading, patience.batchSize()));
        } catch (RuntimeException failed) {
            if (!MongoFailures.isTooLarge(failed)) {
                throw MongoFailures.of(failed, false);
            }
            askForLess();
            return open();
        }
    }

    /** Opens behind the position, each time asking for less, until the server can answer. */
    private RawReply open() throws SourceException {
        reader.reset();
        answeredAt = ClusterTime.ZERO;
        while (true) {
            try {
                RawReply reply = run(commands.open(position, reading, traits.splits(), patience.batchSize()));
                cursorId = reply.cursorId;
                return reply;
            } catch (RuntimeException failed) {
                if (!MongoFailures.isTooLarge(failed) || reading == Reading.BARE) {
                    throw MongoFailures.of(failed, position instanceof StartPoint.After);
                }
                askForLess();
            }
        }
    }

    private void askForLess() {
        reading = reading.smaller();
        readSingly = 0;
    }

    private RawReply run(BsonDocument command) throws SourceException {
        unanswered = true;
        try {
            RawBsonDocument reply = calls.streamReply(
                    patience,
                    () -> database.runCommand(session, command, ReadPreference.primary(), RawBsonDocument.class));
            unanswered = false;
            return new RawReply(reply);
        } catch (RuntimeException failed) {
            unanswered = !MongoFailures.isAnswer(failed);
            throw failed;
        }
    }

    private SourceBatch take(RawReply reply) {
        ReplyReader.Read read = reader.read(reply);
        caughtUp = read.seen() > 0
                && read.seen() < patience.batchSize()
                && reply.length < FULL_REPLY_BYTES
                && reading == Reading.NORMAL;
        boolean closed = reply.cursorId == 0;
        Checkpoint reached = moveTo(read, reply);
        leaveDetour(read);
        long sourceTime = (read.seen() > 0 ? read.lastTime() : reply.operationTime).toEpochMillis();
        Duration unread = traits.sharded() ? Duration.ZERO : reply.unread();
        return new SourceBatch(read.events(), reached, sourceTime, ending(read, closed, reply), unread);
    }

    private @Nullable Checkpoint moveTo(ReplyReader.Read read, RawReply reply) {
        emptyThrough = ClusterTime.ZERO;
        if (read.seen() > 0) {
            safeTime = later(safeTime, read.lastTime());
        } else if (!traits.sharded()) {
            // The server had all of this when we asked, and there was nothing for us in it.
            emptyThrough = answeredAt;
            safeTime = later(safeTime, answeredAt);
        }
        answeredAt = reply.operationTime;
        RawBson token = read.position();
        if (token == null) {
            return null;
        }
        tenants.reached(token);
        Checkpoint reached = new Checkpoint(token, safeTime);
        position = new StartPoint.After(reached);
        return reached;
    }

    private void leaveDetour(ReplyReader.Read read) {
        if (reading.leavesSomethingOut() && !read.events().isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("event", read.events().getFirst().id())
                    .addKeyValue("reading", reading)
                    .log("an event was too large for the server and was taken without its document");
            reading = Reading.NORMAL;
            kill();
        } else if (reading == Reading.ONE_BY_ONE && isPassed(read)) {
            reading = Reading.NORMAL;
        }
    }

    /** Whether all events were read that the reply which was too large could have held. */
    private boolean isPassed(ReplyReader.Read read) {
        readSingly += read.seen();
        return read.seen() == 0 || readSingly >= batchSize;
    }

    private static SourceBatch.Ending ending(ReplyReader.Read read, boolean closed, RawReply reply) {
        if (read.invalidated()) {
            return SourceBatch.INVALIDATED;
        }
        return closed ? new SourceBatch.Ending.SilentlyClosed(reply.operationTime) : SourceBatch.OPEN;
    }

    private static ClusterTime later(ClusterTime a, ClusterTime b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    /** The next read opens the stream again. */
    private void kill() {
        long id = cursorId;
        cursorId = 0;
        if (id != 0 && !unanswered) {
            calls.attempt(() -> database.runCommand(session, commands.kill(id)), KILL_LIMIT);
        }
    }

    @Override
    public void close() {
        kill();
        session.close();
    }
}
