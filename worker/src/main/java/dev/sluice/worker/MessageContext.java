package dev.sluice.worker;

import dev.sluice.model.FencingToken;
import java.time.Instant;

/**
 * The circumstances of one call of a handler.
 *
 * @param subject of the message
 * @param partition the id of its partition, from the subject's tokens
 * @param worker the stable id of this worker
 * @param receivedAt when this worker received the message
 * @param attempt 1 for the first
 * @param token proves that this worker owns the partition; only ever grows
 */
public record MessageContext(
        String subject, String partition, String worker, Instant receivedAt, int attempt, FencingToken token) {}
