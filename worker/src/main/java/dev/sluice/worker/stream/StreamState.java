package dev.sluice.worker.stream;

import java.time.Instant;
import java.util.List;

/**
 * A stream as its leader reports it.
 *
 * @param created identifies this life of the stream: a stream that was deleted and made again has another
 * @param first the sequence of the first message that is still there; last + 1 when there is none
 * @param last the sequence of the last message that ever was
 * @param maxConsumers how many consumers it allows; below 1: the server's own limit
 * @param maxPerSubject how many messages of one subject it keeps; below 1: any number
 * @param transforms its subject transforms as {@code source → destination}
 * @param subjects what it stores of all that is published; empty when it also copies or mirrors other streams
 */
public record StreamState(
        String name,
        Instant created,
        Retention retention,
        long first,
        long last,
        long maxConsumers,
        long maxPerSubject,
        int replicas,
        List<Transform> transforms,
        List<String> subjects) {
    public StreamState {
        transforms = List.copyOf(transforms);
        subjects = List.copyOf(subjects);
    }

    /** What removes messages from a stream, besides its limits. */
    public enum Retention {
        LIMITS,
        WORK_QUEUE,
        INTEREST
    }

    public record Transform(String source, String destination) {}
}
