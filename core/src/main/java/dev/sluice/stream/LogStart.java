package dev.sluice.stream;

import dev.sluice.model.Position;
import org.jspecify.annotations.Nullable;

/**
 * The one log that a stream is of, and where in it the stream begins.
 *
 * @param log its name
 * @param identity that it must have; 0: any
 * @param after in the log of that identity; null: where the marker of the request says
 */
public record LogStart(String log, long identity, @Nullable Position after) {}
