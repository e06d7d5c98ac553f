package dev.sluice.route;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.RawBson;
import org.jspecify.annotations.Nullable;

/**
 * @param before the document's state before the change, where the source keeps it
 */
public record FeedEvent(ChangeEvent event, @Nullable RawBson before) {}
