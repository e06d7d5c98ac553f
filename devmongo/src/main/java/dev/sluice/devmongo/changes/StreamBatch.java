package dev.sluice.devmongo.changes;

import dev.sluice.devmongo.token.ResumeToken;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one read of a stream gave.
 *
 * @param token the post-batch resume token; absent only when the stream closed behind a filter that hid the reason
 * @param closed whether the cursor is gone now
 */
public record StreamBatch(List<byte[]> events, @Nullable ResumeToken token, boolean closed) {}
