package dev.sluice.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

@Order(2)
class KafkaServerTest extends RealServerContract<KafkaServer> {

    @Override
    KafkaServer startPrivate() {
        return KafkaServer.startPrivate();
    }

    @Override
    KafkaServer shared() {
        return KafkaServer.shared();
    }

    @Override
    Client connect(KafkaServer server) {
        return new KafkaTexts(server.url(), producer(server, Map.of()));
    }

    @Test
    void theSecondVersionOfTransactionsIsOn() throws Exception {
        try (var admin =
                Admin.create(Map.of("bootstrap.servers", KafkaServer.shared().url()))) {
            var features = admin.describeFeatures().featureMetadata().get(30, TimeUnit.SECONDS);
            assertThat(features.finalizedFeatures().get("transaction.version").maxVersionLevel())
                    .isEqualTo((short) 2);
        }
    }

    @Test
    void aReaderOfWhatIsCommittedSeesNoAbortedRecord() throws Exception {
        var server = KafkaServer.shared();
        try (var producer = producer(server, Map.of("transactional.id", "texts"))) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>("transactions", "aborted"));
            producer.flush();
            producer.abortTransaction();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>("transactions", "committed"));
            producer.commitTransaction();
        }
        assertThat(readAll(server.url(), "transactions")).containsExactly("committed");
    }

    private static KafkaProducer<String, String> producer(KafkaServer server, Map<String, Object> more) {
        var config = new HashMap<String, Object>(more);
        config.put("bootstrap.servers", server.url());
        config.put("max.block.ms", PATIENCE.toMillis());
        config.put("linger.ms", 0);
        return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
    }

    private static List<String> readAll(String bootstrapServers, String topic) {
        Map<String, Object> config = Map.of("bootstrap.servers", bootstrapServers, "isolation.level", "read_committed");
        try (var consumer = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            var partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            var texts = new ArrayList<String>();
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofSeconds(1)).forEach(record -> texts.add(record.value()));
            }
            return texts;
        }
    }

    private record KafkaTexts(String bootstrapServers, KafkaProducer<String, String> producer) implements Client {

        @Override
        public void write(String text, Duration patience) throws Exception {
            producer.send(new ProducerRecord<>("texts", text)).get(patience.toMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        public List<String> readAll() {
            return KafkaServerTest.readAll(bootstrapServers, "texts");
        }

        @Override
        public void close() {
            producer.close(Duration.ZERO);
        }
    }
}
