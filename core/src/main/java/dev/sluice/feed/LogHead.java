package dev.sluice.feed;

import dev.sluice.model.Position;

/**
 * A log as it stood at one moment.
 *
 * @param identity of the log: a refilled log, and the log of another Puller, has another one; never 0
 * @param head the last event; everything that is committed later lies behind it
 * @param oldest everything behind it can be read
 */
public record LogHead(long identity, Position head, Position oldest) {}
