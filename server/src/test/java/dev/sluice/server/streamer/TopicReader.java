package dev.sluice.server.streamer;

import dev.sluice.testkit.ledger.Recorder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.bson.Document;

/** Reads everything a Kafka gateway has got, when all is quiet. */
final class TopicReader {
    private TopicReader() {}

    static void read(String servers, String topic, String consumer, Recorder into) {
        Map<String, Object> settings = Map.of("bootstrap.servers", servers, "auto.offset.reset", "earliest");
        try (var kafka = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = kafka.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            kafka.assign(partitions);
            kafka.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = kafka.endOffsets(partitions);
            while (partitions.stream().anyMatch(each -> kafka.position(each) < ends.get(each))) {
                for (ConsumerRecord<String, String> each : kafka.poll(Duration.ofMillis(200))) {
                    arrived(each, consumer, into);
                }
            }
        }
    }

    private static void arrived(ConsumerRecord<String, String> record, String consumer, Recorder into) {
        Document event = Document.parse(record.value());
        Document document = event.get("document", Document.class);
        if (!document.getBoolean("poison", false)) {
            into.arrived(consumer, record.key(), document.getInteger("v"), event.getString("id"), true);
        }
    }
}
