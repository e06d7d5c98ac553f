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

/** Takes what it is sent, except keys and topics that it is told not to; or nothing at all while it is away. */
final class RecordingSink implements Sink {
    final BlockingQueue<Row> taken = new LinkedBlockingQueue<>();
    final Set<String> refused = ConcurrentHashMap.newKeySet();
    final Set<String> blocked = ConcurrentHashMap.newKeySet();
    volatile boolean away;
    volatile boolean silent;

    Row next() throws InterruptedException {
        Row row = taken.poll(20, TimeUnit.SECONDS);
        if (row == null) {
            throw new AssertionError("nothing was sent");
        }
        return row;
    }

    @Override
    public void probe() throws SinkUnavailableException {
        if (silent) {
            throw new SinkUnavailableException("nobody answers", false, null);
        }
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
                    SendOutcome outcome = refused.contains(row.key())
                            ? new SendOutcome.Refused("not with this key")
                            : blocked.contains(row.topic())
                                    ? new SendOutcome.Blocked("it is not there")
                                    : SendOutcome.SENT;
                    outcomes.add(outcome);
                    if (outcome instanceof SendOutcome.Sent) {
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
