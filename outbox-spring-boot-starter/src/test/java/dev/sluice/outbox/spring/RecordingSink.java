package dev.sluice.outbox.spring;

import dev.sluice.outbox.relay.SendOutcome;
import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.relay.SinkUnavailableException;
import dev.sluice.outbox.table.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Takes what it is sent, except keys that it is told to refuse; or nothing at all while it is away. */
final class RecordingSink implements Sink {
    final BlockingQueue<Row> taken = new LinkedBlockingQueue<>();
    final Set<String> refused = ConcurrentHashMap.newKeySet();
    volatile boolean away;

    Row next() throws InterruptedException {
        Row row = taken.poll(20, TimeUnit.SECONDS);
        if (row == null) {
            throw new AssertionError("nothing was sent");
        }
        return row;
    }

    @Override
    public Channel open(Opening opening) {
        return new Channel() {
            @Override
            public List<Long> alreadySent() {
                return List.of();
            }

            @Override
            public List<SendOutcome> send(List<Row> rows) throws SinkUnavailableException {
                if (away) {
                    throw new SinkUnavailableException("the broker is away", false, null);
                }
                List<SendOutcome> outcomes = new ArrayList<>();
                for (Row row : rows) {
                    boolean bad = refused.contains(row.key());
                    outcomes.add(bad ? new SendOutcome.Refused("not with this key") : SendOutcome.SENT);
                    if (!bad) {
                        taken.add(row);
                    }
                }
                return outcomes;
            }

            @Override
            public void removed() {}

            @Override
            public void close() {}
        };
    }

    @Override
    public void close() {}
}
