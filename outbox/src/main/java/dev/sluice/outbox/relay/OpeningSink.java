package dev.sluice.outbox.relay;

import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.table.HeaderText;
import dev.sluice.outbox.table.Row;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Keeps from every receiver what no receiver could send, so that it concerns its key alone and not the batch it is in. Opens
 * rows that were written closed (encrypted); one that cannot be opened is tried again: its key may be given to the relay
 * later. A row whose headers nobody can read is refused.
 */
public final class OpeningSink implements Sink {
    private final Sink receiver;
    private final UnaryOperator<Row> opener;

    /** @param opener throws InvalidInputException, or what it likes, for what it cannot open */
    public OpeningSink(Sink receiver, UnaryOperator<Row> opener) {
        this.receiver = receiver;
        this.opener = opener;
    }

    @Override
    public Channel open(Opening opening) throws SinkUnavailableException, InterruptedException {
        return new OpeningChannel(receiver.open(opening));
    }

    @Override
    public boolean remembers() {
        return receiver.remembers();
    }

    @Override
    public void probe() throws SinkUnavailableException, InterruptedException {
        receiver.probe();
    }

    @Override
    public void close() {
        receiver.close();
    }

    private final class OpeningChannel implements Channel {
        private final Channel channel;

        OpeningChannel(Channel channel) {
            this.channel = channel;
        }

        @Override
        public List<Long> alreadySent() {
            return channel.alreadySent();
        }

        @Override
        public List<SendOutcome> send(List<Row> rows) throws SinkUnavailableException, InterruptedException {
            List<Row> opened = new ArrayList<>(rows.size());
            List<Optional<SendOutcome>> known = new ArrayList<>(rows.size());
            Set<String> held = new HashSet<>();
            for (Row row : rows) {
                known.add(held.contains(row.key()) ? Optional.of(new SendOutcome.Held()) : open(row, opened));
                if (known.getLast().isPresent()) {
                    held.add(row.key());
                }
            }
            List<SendOutcome> sent = opened.isEmpty() ? List.of() : channel.send(opened);
            return merge(known, sent);
        }

        private Optional<SendOutcome> open(Row row, List<Row> opened) {
            Optional<String> unreadable = HeaderText.whyUnreadable(row.headers());
            if (unreadable.isPresent()) {
                return Optional.of(new SendOutcome.Refused(unreadable.get()));
            }
            try {
                opened.add(opener.apply(row));
                return Optional.empty();
            } catch (InvalidInputException closed) {
                return Optional.of(new SendOutcome.Failed(String.valueOf(closed.getMessage())));
            } catch (RuntimeException bug) {
                return Optional.of(new SendOutcome.Failed("its payload cannot be opened: " + bug));
            }
        }

        private static List<SendOutcome> merge(List<Optional<SendOutcome>> known, List<SendOutcome> sent) {
            List<SendOutcome> all = new ArrayList<>(known.size());
            int next = 0;
            for (Optional<SendOutcome> outcome : known) {
                all.add(outcome.isPresent() ? outcome.get() : sent.get(next++));
            }
            return all;
        }

        @Override
        public OptionalLong batch() {
            return channel.batch();
        }

        @Override
        public void removed() {
            channel.removed();
        }

        @Override
        public void buried(Row row, String reason, int attempts) throws InterruptedException {
            channel.buried(row, reason, attempts);
        }

        @Override
        public void close() {
            channel.close();
        }
    }
}
