package dev.sluice.worker.deadletter;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Dead letters for tests. */
final class Letters {
    static final long CREATED = 1_700_000_000_123L;

    private Letters() {}

    static DeadLetter of(long sequence) {
        return of("SOURCE", "source.eu", sequence, "body " + sequence);
    }

    static DeadLetter of(String stream, String subject, long sequence, String body) {
        return with(stream, subject, sequence, Map.of("Trace", List.of("t1", "t2")), body.getBytes(UTF_8));
    }

    static DeadLetter with(
            String stream, String subject, long sequence, Map<String, List<String>> headers, byte[] body) {
        return new DeadLetter(
                new LetterId(CREATED, 7, sequence),
                stream,
                subject,
                "eu",
                "w-3",
                "ungültig: 100 % falsch\nsecond line",
                3,
                Instant.parse("2026-11-16T05:00:00Z"),
                Instant.parse("2026-11-16T05:00:07.250Z"),
                headers,
                body);
    }
}
