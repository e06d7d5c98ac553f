package dev.sluice.capture;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import java.time.Duration;
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

    private final CaptureState state;
    private final CaptureCounters counters;
    private boolean failing;
    private boolean openedBefore;

    CaptureJournal(CaptureState state) {
        this.state = state;
        this.counters = state.counters();
    }

    void opened(StartPoint from) {
        if (openedBefore) {
            counters.reconnects.incrementAndGet();
        }
        if (failing) {
            say(LOG.atInfo()).addKeyValue("from", from).log("connection recovered");
        } else if (!openedBefore) {
            say(LOG.atInfo()).addKeyValue("from", from).log("capture started");
        }
        openedBefore = true;
        failing = false;
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

    void failed(String sentence, CaptureStatus status, int failures, Duration wait, @Nullable Throwable cause) {
        counters.connectionFailures.incrementAndGet();
        failing = true;
        state.is(status, sentence);
        LoggingEventBuilder line = failures == 1 ? LOG.atInfo() : LOG.atWarn();
        say(line)
                .addKeyValue("status", status)
                .addKeyValue("failures", failures)
                .addKeyValue("retryInMs", wait.toMillis())
                .addKeyValue("reason", sentence)
                .setCause(failures == 1 ? null : cause)
                .log("connection failed");
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
                        "the source does not know the token, most likely because the filter changed: reading that time again");
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
