package dev.sluice.testkit.servers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamOptions;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NatsServerTest extends RealServerContract<NatsServer> {

    @Override
    NatsServer startPrivate() {
        return NatsServer.startPrivate();
    }

    @Override
    NatsServer shared() {
        return NatsServer.shared();
    }

    @Override
    Client connect(NatsServer server) throws Exception {
        return new JetStreamClient(connection(server));
    }

    @Test
    void theTenLineIsAskedForByName() throws Exception {
        try (var connection = connection(NatsServer.shared(NatsLine.V2_10))) {
            assertThat(connection.getServerInfo().getVersion()).startsWith("2.10.");
        }
    }

    @Test
    void theNewestIsNewerThanTheTenLine() throws Exception {
        try (var connection = connection(NatsServer.shared(NatsLine.NEWEST))) {
            assertThat(connection.getServerInfo().isNewerVersionThan("2.10.99")).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(NatsLine.class)
    void oneConsumerFiltersManySubjects(NatsLine line) throws Exception {
        try (var connection = connection(NatsServer.shared(line))) {
            var client = new JetStreamClient(connection);
            for (var subject : List.of("texts.a", "texts.b", "texts.c", "texts.a")) {
                client.publish(subject, subject, PATIENCE);
            }
            assertThat(client.read("texts.a", "texts.c")).containsExactly("texts.a", "texts.c", "texts.a");
        }
    }

    private static Connection connection(NatsServer server) throws IOException, InterruptedException {
        return Nats.connect(Options.builder()
                .server(server.url())
                .connectionTimeout(PATIENCE)
                .noReconnect()
                .build());
    }

    private record JetStreamClient(Connection connection) implements Client {

        JetStreamClient(Connection connection) {
            this.connection = connection;
            try {
                connection
                        .jetStreamManagement()
                        .addStream(StreamConfiguration.builder()
                                .name("texts")
                                .subjects("texts.>")
                                .storageType(StorageType.File)
                                .build());
            } catch (IOException | JetStreamApiException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void write(String text, Duration patience) throws Exception {
            publish("texts.plain", text, patience);
        }

        void publish(String subject, String text, Duration patience) throws IOException, JetStreamApiException {
            var options = JetStreamOptions.builder().requestTimeout(patience).build();
            connection.jetStream(options).publish(subject, text.getBytes(UTF_8));
        }

        @Override
        public List<String> readAll() throws Exception {
            return read("texts.plain");
        }

        List<String> read(String... subjects) throws Exception {
            var stream = connection.getStreamContext("texts");
            var consumer = stream.createOrUpdateConsumer(
                    ConsumerConfiguration.builder().filterSubjects(subjects).build());
            var texts = new ArrayList<String>();
            while (consumer.getConsumerInfo().getNumPending() > 0) {
                var message = consumer.next(Duration.ofSeconds(1));
                texts.add(new String(message.getData(), UTF_8));
                message.ack();
            }
            return texts;
        }

        @Override
        public void close() throws InterruptedException {
            connection.close();
        }
    }
}
