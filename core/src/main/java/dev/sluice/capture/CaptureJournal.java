package dev.sluice.capture;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * What operators are told about one backend: one structured line per thing that happens, the counter that goes with
 * it, and the status. So the loop reads as what it does, and every line is said in one place.
 */
final class CaptureJournal {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.capture");

    /** Cluster times, which differ at each attempt although nothing else changed. */
    private static final Pattern TIMES = Pattern.compile("\\b\\d{4,}-\\d+\\b");

    private final CaptureState state;
    private final CaptureCounters counters;
    private boolean openedBefore;

    /** The failure that was last logged, until the source answers again. */
    private @Nullable Said said;

    /** @param sentence without its times */
    private record Said(CaptureStatus status, String sentence) {}

    CaptureJournal(CaptureState state) {
        this.state = state;
        this.counters = state.counters();
    }

    void opened(StartPoint from) {
        if (openedBefore) {
            counters.reconnects.incrementAndGet();
        } else {
            say(LOG.atInfo()).addKeyValue("from", from).log("capture started");
        }
        openedBefore = true;
    }

    /** The source answered, and what it said was taken: the end of an outage, if there was one. */
    synchronized void answered() {
        if (said != null) {
            said = null;
            say(LOG.atInfo()).log("connection recovered");
        }
    }

    void tokenLoaded(Checkpoint checkpoint, String where) {
        say(LOG.atInfo())
                .addKeyValue("where", where)
                .addKeyValue("clusterTime", checkpoint.time())
                .log("resume token loaded");
    }

    void tokenSubmitted(Checkpoint checkpoint) {
        counters.checkpointsSaved.incrementAndGet();
        say(LOG.atDebug()).addKeyValue("clusterTime", checkpoint.time()).log("resume token saved");
    }

    synchronized void failed(
            String sentence, CaptureStatus status, int failures, Duration wait, @Nullable Throwable cause) {
        counters.connectionFailures.incrementAndGet();
        report(sentence, status)
                .addKeyValue("failures", failures)
                .addKeyValue("retryInMs", wait.toMillis())
                .setCause(cause)
                .log("connection failed");
    }

    /** The source cannot be reached while the call that found out still tries: reported before it gives up. Any thread calls. */
    synchronized void unreachable(String cause) {
        if (state.status() != CaptureStatus.CLOSED) {
            report(cause, said == null ? CaptureStatus.RETRYING : said.status()).log("connection failed");
        }
    }

    /** A warning for each change of state, at once; repeats only for debugging, because a source may stay away for long. */
    private LoggingEventBuilder report(String sentence, CaptureStatus status) {
        Said now = new Said(status, TIMES.matcher(sentence).replaceAll("then"));
        LoggingEventBuilder line = now.equals(said) ? LOG.atDebug() : LOG.atWarn();
        said = now;
        state.is(status, sentence);
        return say(line).addKeyValue("status", status).addKeyValue("reason", sentence);
    }

    void standingBy(String sentence) {
        if (state.status() != CaptureStatus.STANDBY) {
            say(LOG.atInfo()).addKeyValue("reason", sentence).log("stands by");
        }
        state.is(CaptureStatus.STANDBY, sentence);
    }

    void gap(String reason, ClusterTime since) {
        counters.gapsDetected.incrementAndGet();
        say(LOG.atError())
                .addKeyValue("since", since)
                .addKeyValue("reason", reason)
                .log("gap: changes are missing from the log");
    }

    void resynced(EventId id) {
        say(LOG.atWarn()).addKeyValue("event", id).log("consumers are told to resync");
    }

    void rescanning(FailureAnswer.Rescan rescan) {
        say(LOG.atWarn())
                .addKeyValue("from", rescan.from().time())
                .addKeyValue("reason", rescan.reason())
                .log(
                        "the source does not know the token, and the filter changed or may have changed: reading that time again");
    }

    void stalled(Duration since) {
        counters.stalls.incrementAndGet();
        state.is(CaptureStatus.STALLED, "neither changes nor a new position for " + since.toSeconds() + " s");
        say(LOG.atError()).addKeyValue("seconds", since.toSeconds()).log("stall: reconnecting");
    }

    void invalidated() {
        say(LOG.atWarn()).log("the watched database was dropped; capture goes on behind it");
    }

    void headBelowMirror(ClusterTime local, ClusterTime mirrored) {
        say(LOG.atError())
                .addKeyValue("local", local)
                .addKeyValue("mirrored", mirrored)
                .log("the event log ends before its mirrored checkpoint: it lost its tail, or is an old copy; what is"
                        + " missing is read from the source again");
    }

    void refilling(StartPoint from, ClusterTime mirrored) {
        say(LOG.atWarn())
                .addKeyValue("from", from)
                .addKeyValue("mirrored", mirrored)
                .log("the event log is empty but was captured before: refilling it from the source");
    }

    void stopped(CaptureStatus status, String sentence) {
        state.is(status, sentence);
        LoggingEventBuilder line = status == CaptureStatus.CLOSED ? LOG.atInfo() : LOG.atError();
        say(line).addKeyValue("status", status).addKeyValue("reason", sentence).log("capture stopped");
    }

    void lastPositionLost(RuntimeException cause) {
        say(LOG.atWarn())
                .setCause(cause)
                .log("the last position was not saved; what follows the one before is read again");
    }

    void mirrorFailed(String reason) {
        long before = counters.checkpointErrors.getAndIncrement();
        LoggingEventBuilder line = before % 60 == 0 ? LOG.atWarn() : LOG.atDebug();
        say(line).addKeyValue("reason", reason).log("the checkpoint could not be mirrored; capture goes on");
    }

    private LoggingEventBuilder say(LoggingEventBuilder line) {
        return line.addKeyValue("backend", state.backend());
    }
}
