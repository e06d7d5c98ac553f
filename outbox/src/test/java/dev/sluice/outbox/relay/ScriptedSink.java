package dev.sluice.outbox.relay;

import dev.sluice.outbox.table.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;

/** A receiver that does as it is told, and remembers what it got, in which order and in how many sends. */
final class ScriptedSink implements Sink {
    final List<Row> received = new ArrayList<>();
    final Map<Long, Integer> sendOf = new HashMap<>();
    final List<Opening> openings = new ArrayList<>();
    List<Long> alreadySent = List.of();
    final List<Integer> sizes = new ArrayList<>();
    int sends;
    int removals;
    boolean unavailable;
    boolean inUse;
    boolean remembers;
    Runnable duringSend = () -> {};
    Function<Row, SendOutcome> outcomes = row -> SendOutcome.SENT;

    @Override
    public boolean remembers() {
        return remembers;
    }

    @Override
    public Channel open(Opening opening) throws SinkUnavailableException {
        requireAvailable();
        openings.add(opening);
        return new ScriptedChannel();
    }

    private void requireAvailable() throws SinkUnavailableException {
        if (inUse) {
            throw SinkUnavailableException.inUse("somebody else sends");
        }
        if (unavailable) {
            throw new SinkUnavailableException("away", false, null);
        }
    }

    List<String> keys() {
        return received.stream().map(Row::key).toList();
    }

    @Override
    public void close() {
        unavailable = true;
    }

    private final class ScriptedChannel implements Channel {
        @Override
        public List<Long> alreadySent() {
            return alreadySent;
        }

        @Override
        public List<SendOutcome> send(List<Row> rows) throws SinkUnavailableException {
            requireAvailable();
            sends++;
            sizes.add(rows.size());
            List<SendOutcome> all = new ArrayList<>();
            Set<String> held = new HashSet<>();
            for (Row row : rows) {
                SendOutcome outcome = held.contains(row.key()) ? new SendOutcome.Held() : outcomes.apply(row);
                if (outcome.equals(SendOutcome.SENT)) {
                    received.add(row);
                    sendOf.put(row.id(), sends);
                } else if (!(outcome instanceof SendOutcome.Blocked)) {
                    held.add(row.key());
                }
                all.add(outcome);
            }
            duringSend.run();
            return all;
        }

        @Override
        public OptionalLong batch() {
            return remembers ? OptionalLong.of(sends) : OptionalLong.empty();
        }

        @Override
        public void removed() {
            removals++;
        }

        @Override
        public void close() {
            // Nothing waits.
        }
    }
}
