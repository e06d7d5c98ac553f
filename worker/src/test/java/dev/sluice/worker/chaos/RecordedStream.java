package dev.sluice.worker.chaos;

import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.ConsumerState;
import dev.sluice.worker.stream.MessageStream;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A stream that remembers the changes of durable consumers, and refuses to answer them while {@link #away} is set. */
final class RecordedStream extends ForwardingStream {

    /** One creation or change of filters of a durable consumer. */
    record Update(long at, ConsumerSpec spec, boolean ok) {}

    private final List<Update> updates = new CopyOnWriteArrayList<>();
    private final List<ConsumerSpec> created = new CopyOnWriteArrayList<>();
    private final List<Integer> wanted = new CopyOnWriteArrayList<>();

    /** While set, no change of a consumer gets an answer. */
    volatile boolean away;

    RecordedStream(MessageStream stream) {
        super(stream);
    }

    @Override
    public ConsumerState create(ConsumerSpec spec) {
        changed(spec);
        created.add(spec);
        return super.create(spec);
    }

    @Override
    public void changeFilters(ConsumerSpec spec) {
        changed(spec);
        super.changeFilters(spec);
    }

    @Override
    public Pull pull(String consumer, Receiver receiver) {
        Pull pull = super.pull(consumer, receiver);
        return new Pull() {
            @Override
            public void want(int messages, int maxBytes) {
                wanted.add(messages);
                pull.want(messages, maxBytes);
            }

            @Override
            public int outstanding() {
                return pull.outstanding();
            }

            @Override
            public void close() {
                pull.close();
            }
        };
    }

    private void changed(ConsumerSpec spec) {
        if (spec.explicitAck()) {
            updates.add(new Update(System.nanoTime(), spec, !away));
        }
        if (away) {
            throw new StreamUnavailableException("the test took the server away", new IOException());
        }
    }

    /** Changes of durable consumers; catch-up readers on limits streams are none. */
    List<Update> updates() {
        return List.copyOf(updates);
    }

    /** Every consumer that was created, catch-up readers included. */
    List<ConsumerSpec> created() {
        return List.copyOf(created);
    }

    /** How many messages each pull asked for. */
    List<Integer> wanted() {
        return List.copyOf(wanted);
    }
}
