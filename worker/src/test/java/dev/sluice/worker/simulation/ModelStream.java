package dev.sluice.worker.simulation;

import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.ConsumerState;
import dev.sluice.worker.stream.Consumers;
import dev.sluice.worker.stream.MessageStream;
import dev.sluice.worker.stream.StreamState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;

/** The model of a stream as one client sees it: through its {@link Link}. */
final class ModelStream implements MessageStream, Consumers {
    private final ModelServer server;
    private final ModelTime time;
    private final Link link;
    private final List<ModelPull> pulls = new CopyOnWriteArrayList<>();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    ModelStream(ModelServer server, ModelTime time, Link link) {
        this.server = server;
        this.time = time;
        this.link = link;
        link.whenBack(this::back);
    }

    private void back() {
        pulls.forEach(pull -> pull.broken("the connection was lost"));
        pulls.clear();
        listeners.forEach(Runnable::run);
    }

    @Override
    public StreamState state() {
        return link.call("stream info", server::state);
    }

    @Override
    public Map<String, Long> subjects(String filter) {
        return link.call("subjects " + filter, () -> server.subjects(filter));
    }

    @Override
    public OptionalLong lastOf(String filter) {
        return link.call("last of " + filter, () -> server.lastOf(filter));
    }

    @Override
    public Consumers consumers() {
        return this;
    }

    @Override
    public void whenBack(Runnable listener) {
        listeners.add(listener);
    }

    @Override
    public void close() {}

    @Override
    public ConsumerState create(ConsumerSpec spec) {
        return link.call("create " + spec.name(), () -> server.create(spec));
    }

    @Override
    public void changeFilters(ConsumerSpec spec) {
        link.call("filters of " + spec.name(), () -> {
            server.changeFilters(spec.name(), spec.filters(), link.updateDelay());
            return true;
        });
    }

    @Override
    public Optional<ConsumerState> info(String name) {
        return link.call("info " + name, () -> server.info(name));
    }

    @Override
    public List<String> names(String prefix) {
        return link.call("names " + prefix, () -> server.names(prefix));
    }

    @Override
    public boolean delete(String name) {
        return link.call("delete " + name, () -> server.delete(name));
    }

    @Override
    public Pull pull(String consumer, Receiver receiver) {
        ModelPull pull = new ModelPull(server, time, link, consumer, receiver);
        pulls.removeIf(ModelPull::isClosed);
        pulls.add(pull);
        return pull;
    }
}
