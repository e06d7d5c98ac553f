package dev.sluice.worker.stream;

import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.stream.StreamState.Retention;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.PurgeOptions;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A stream of a real server. Its subjects {@code p.>} belong to one stream at a time. */
final class NatsTestStream implements TestStream {
    /** A loaded machine may be silent for a while. */
    static final PullTimes QUICK = new PullTimes(Duration.ofSeconds(1), Duration.ofMillis(500), Duration.ofSeconds(20));

    private static final AtomicInteger NAMES = new AtomicInteger();

    private final Connection connection;
    private final String name = "contract-" + NAMES.incrementAndGet();
    private final NatsMessageStream stream;

    /** Connects to a server and makes a stream there. */
    static NatsTestStream of(NatsServer server, Retention retention, int maxConsumers) {
        Options options = Options.builder().server(server.url()).build();
        return new NatsTestStream(options, retention, maxConsumers, StorageType.Memory, 1);
    }

    NatsTestStream(Options options, Retention retention, int maxConsumers, StorageType storage, int replicas) {
        this.connection = call(() -> Nats.connect(options));
        call(() -> connection
                .jetStreamManagement()
                .addStream(StreamConfiguration.builder()
                        .name(name)
                        .subjects("p.>")
                        .retentionPolicy(policy(retention))
                        .maxConsumers(maxConsumers)
                        .storageType(storage)
                        .replicas(replicas)
                        .build()));
        this.stream = new NatsMessageStream(connection, name, Duration.ofSeconds(5), QUICK);
    }

    private static RetentionPolicy policy(Retention retention) {
        return switch (retention) {
            case LIMITS -> RetentionPolicy.Limits;
            case WORK_QUEUE -> RetentionPolicy.WorkQueue;
            case INTEREST -> RetentionPolicy.Interest;
        };
    }

    String name() {
        return name;
    }

    Connection connection() {
        return connection;
    }

    @Override
    public MessageStream stream() {
        return stream;
    }

    @Override
    public long publish(String subject, byte[] body) {
        return call(() -> connection.jetStream().publish(subject, body)).getSeqno();
    }

    @Override
    public void purgeBefore(long sequence) {
        call(() -> connection
                .jetStreamManagement()
                .purgeStream(name, PurgeOptions.builder().sequence(sequence).build()));
    }

    @Override
    public List<Long> stored() {
        StreamState state = stream.state();
        List<Long> found = new ArrayList<>();
        for (long sequence = state.first(); sequence <= state.last(); sequence++) {
            if (isStored(sequence)) {
                found.add(sequence);
            }
        }
        return found;
    }

    private boolean isStored(long sequence) {
        return call(() -> {
            try {
                return connection
                                .jetStreamManagement()
                                .getMessage(name, sequence)
                                .getSeq()
                        == sequence;
            } catch (JetStreamApiException missing) {
                return false;
            }
        });
    }

    @Override
    public void close() {
        stream.close();
        call(() -> {
            connection.jetStreamManagement().deleteStream(name);
            connection.close();
            return name;
        });
    }

    private interface Call<T> {
        T run() throws IOException, JetStreamApiException, InterruptedException;
    }

    private static <T> T call(Call<T> call) {
        try {
            return call.run();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (JetStreamApiException | InterruptedException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
