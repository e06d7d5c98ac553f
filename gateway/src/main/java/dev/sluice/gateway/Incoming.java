package dev.sluice.gateway;

import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Priority;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One event of a batch, with what the Streamer says about its delivery.
 *
 * @param seq counts from 1 per subscription, partition and token
 * @param standsFor it concerns all subscriptions of its tenant, its collection and this priority that have a filter and no
 *     document id; null: its own alone
 * @param revision of the subscription's record that was matched; 0: the Streamer did not say
 * @param log the event comes from, as markers name it; empty: the Streamer did not say
 * @param except ids of subscriptions that are told of it by themselves, although it stands for others like them
 */
record Incoming(
        ReceivedEvent event,
        long seq,
        int partition,
        FencingToken token,
        @Nullable Priority standsFor,
        long revision,
        String log,
        List<String> except) {
    /** Far above what a Streamer has; the bound on what is remembered per partition. */
    static final int PARTITIONS = 1 << 16;

    Incoming {
        if (partition < 0 || partition >= PARTITIONS) {
            throw new InvalidInputException("there is no partition " + partition);
        }
        if (seq < 1) {
            throw new InvalidInputException("seq counts from 1, not " + seq);
        }
    }

    Incoming(
            ReceivedEvent event,
            long seq,
            int partition,
            FencingToken token,
            @Nullable Priority standsFor,
            long revision,
            String log) {
        this(event, seq, partition, token, standsFor, revision, log, List.of());
    }

    /** From a Streamer that tells neither revision nor log. */
    Incoming(ReceivedEvent event, long seq, int partition, FencingToken token, @Nullable Priority standsFor) {
        this(event, seq, partition, token, standsFor, 0, "");
    }

    /**
     * The same without its marker. The marker of a delete told for many says nothing about the subscriptions that hear it: it
     * may be older than their registration.
     */
    Incoming withoutProgress() {
        return new Incoming(event.withProgress(""), seq, partition, token, standsFor, revision, log, except);
    }
}
