package dev.sluice.stream;

import dev.sluice.model.Position;

/**
 * How far a stream of one log has come.
 *
 * @param identity of the log
 * @param passed everything up to here has been laid out, or was not wanted
 * @param head of the log; before {@code passed} only in a stream that began ahead of it
 */
public record LogProgress(long identity, Position passed, Position head) {}
