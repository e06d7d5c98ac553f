package dev.sluice.worker.chaos;

import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.ConsumerState;
import dev.sluice.worker.stream.Consumers;
import dev.sluice.worker.stream.MessageStream;
import dev.sluice.worker.stream.StreamState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A stream and its consumers that pass every call on, for tests to override some. */
class ForwardingStream implements MessageStream, Consumers {
    private final MessageStream stream;

    ForwardingStream(MessageStream stream) {
        this.stream = stream;
    }

    @Override
    public StreamState state() {
        return stream.state();
    }

    @Override
    public Map<String, Long> subjects(String filter) {
        return stream.subjects(filter);
    }

    @Override
    public OptionalLong lastOf(String filter) {
        return stream.lastOf(filter);
    }

    @Override
    public Consumers consumers() {
        return this;
    }

    @Override
    public void whenBack(Runnable listener) {
        stream.whenBack(listener);
    }

    @Override
    public void close() {
        stream.close();
    }

    @Override
    public ConsumerState create(ConsumerSpec spec) {
        return stream.consumers().create(spec);
    }

    @Override
    public void changeFilters(ConsumerSpec spec) {
        stream.consumers().changeFilters(spec);
    }

    @Override
    public Optional<ConsumerState> info(String name) {
        return stream.consumers().info(name);
    }

    @Override
    public List<String> names(String prefix) {
        return stream.consumers().names(prefix);
    }

    @Override
    public boolean delete(String name) {
        return stream.consumers().delete(name);
    }

    @Override
    public Pull pull(String consumer, Receiver receiver) {
        return stream.consumers().pull(consumer, receiver);
    }
}
