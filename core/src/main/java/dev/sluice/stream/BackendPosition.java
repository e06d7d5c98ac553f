package dev.sluice.stream;

import dev.sluice.model.EventId;
import java.time.Duration;
import java.util.Optional;

/**
 * Where a consumer stands in one backend.
 *
 * @param passed the last event it need not see again
 * @param eventsBehind about how many it has not got yet
 * @param secondsBehind the source's time between what it got last and what was captured last; 0 at the head
 * @param untilOvertaken when retention will take away what it has not read, if both go on as they do now
 */
public record BackendPosition(
        String backend, EventId passed, long eventsBehind, long secondsBehind, Optional<Duration> untilOvertaken) {}
