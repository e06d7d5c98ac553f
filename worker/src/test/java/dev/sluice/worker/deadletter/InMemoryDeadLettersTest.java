package dev.sluice.worker.deadletter;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

final class InMemoryDeadLettersTest extends DeadLettersContract {
    private final List<String> published = new ArrayList<>();
    private final DeadLetters letters = new InMemoryDeadLetters(ROOM, () -> Instant.EPOCH, letter -> {
        published.add(new String(letter.body(), UTF_8));
        return published.size();
    });

    @Override
    DeadLetters letters() {
        return letters;
    }

    @Override
    List<String> published() {
        return published;
    }
}
