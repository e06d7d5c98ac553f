package dev.sluice.feed;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Position;
import dev.sluice.model.RawBson;
import org.jspecify.annotations.Nullable;

/**
 * One event of a stream.
 *
 * @param position of the event in its log
 * @param before the document's state before the change, where the source keeps it
 */
public record FeedEvent(
        ChangeEvent event, Position position, @Nullable RawBson before) {}
