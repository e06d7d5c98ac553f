package dev.sluice.worker.stream;

import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.support.JsonValue;
import io.nats.client.support.JsonValueUtils;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The consumers of one stream, by requests to JetStream; their pulls share the thread of one dispatcher. */
final class JetStreamConsumers implements Consumers {
    private final Connection connection;
    private final JetStreamApi api;
    private final String stream;
    private final PullTimes times;
    private final Dispatcher dispatcher;
    private final Set<JetStreamPull> pulls = ConcurrentHashMap.newKeySet();

    JetStreamConsumers(Connection connection, JetStreamApi api, String stream, PullTimes times) {
        this.connection = connection;
        this.api = api;
        this.stream = stream;
        this.times = times;
        this.dispatcher = connection.createDispatcher();
        // No limit: jnats would drop silently, and pulls never ask for more than their receivers want.
        dispatcher.setPendingLimits(0, 0);
    }

    @Override
    public ConsumerState create(ConsumerSpec spec) {
        return ConsumerJson.state(api.request(
                "CONSUMER.CREATE." + stream + "." + spec.name(), ConsumerJson.request(stream, spec, "create")));
    }

    @Override
    public void changeFilters(ConsumerSpec spec) {
        api.request("CONSUMER.CREATE." + stream + "." + spec.name(), ConsumerJson.request(stream, spec, "update"));
    }

    @Override
    public Optional<ConsumerState> info(String name) {
        try {
            return Optional.of(ConsumerJson.state(api.request("CONSUMER.INFO." + stream + "." + name, "")));
        } catch (StreamRefusedException refused) {
            if (refused.code() == StreamRefusedException.NO_SUCH_CONSUMER) {
                return Optional.empty();
            }
            throw refused;
        }
    }

    @Override
    public List<String> names(String prefix) {
        List<String> names = new ArrayList<>();
        int offset = 0;
        while (true) {
            JsonValue page = api.request("CONSUMER.NAMES." + stream, "{\"offset\":" + offset + "}");
            List<String> found = JsonValueUtils.readStringList(page, "consumers");
            found.stream().filter(name -> name.startsWith(prefix)).forEach(names::add);
            offset += found.size();
            if (found.isEmpty() || offset >= JsonValueUtils.readInteger(page, "total", 0)) {
                return names;
            }
        }
    }

    @Override
    public boolean delete(String name) {
        try {
            api.request("CONSUMER.DELETE." + stream + "." + name, "");
            return true;
        } catch (StreamRefusedException refused) {
            if (refused.code() == StreamRefusedException.NO_SUCH_CONSUMER) {
                return false;
            }
            throw refused;
        }
    }

    @Override
    public Pull pull(String consumer, Receiver receiver) {
        String requests = "$JS.API.CONSUMER.MSG.NEXT." + stream + "." + consumer;
        JetStreamPull pull = new JetStreamPull(connection, dispatcher, requests, times, receiver, pulls::remove);
        pulls.add(pull);
        try {
            pull.open();
        } catch (RuntimeException closed) {
            pull.close();
            throw new StreamUnavailableException("cannot pull from " + consumer + ": " + closed, closed);
        }
        return pull;
    }

    /** Pulls that the server is silent about are broken. */
    void check() {
        pulls.forEach(JetStreamPull::check);
    }

    void breakPulls(String reason) {
        pulls.forEach(pull -> pull.broken(reason));
    }

    void close() {
        pulls.forEach(JetStreamPull::close);
        try {
            connection.closeDispatcher(dispatcher);
        } catch (RuntimeException alreadyClosed) {
            // The connection closed it.
        }
    }
}
