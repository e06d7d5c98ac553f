package dev.sluice.worker.deadletter;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A message that was not handled, with its failures.
 *
 * @param stream the stream of the message
 * @param subject of the message, as the stream stores it
 * @param partition the id of its partition
 * @param worker the id of the worker that gave up
 * @param reason of the last failure
 * @param attempts how often a handler was called
 * @param headers of the message
 * @param body of the message; not copied
 */
public record DeadLetter(
        LetterId id,
        String stream,
        String subject,
        String partition,
        String worker,
        String reason,
        int attempts,
        Instant firstFailure,
        Instant lastFailure,
        Map<String, List<String>> headers,
        byte[] body) {}
