package dev.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.config.yaml.KeyReference;
import dev.sluice.server.config.yaml.Secret;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Every key of the file arrives in its own record component, and in no other. */
class MappingTest {

    /** Key, and a value that is not its default, written as it comes back. */
    private static final String EVERY_KEY = """
            storage.backends[].name                            other
            storage.backends[].type                            mongodb
            storage.backends[].connection                      mongodb://127.0.0.1/other
            storage.backends[].database                        warehouse
            puller.backends[].name                             other
            puller.backends[].include_collections              [items, orders, users]
            puller.backends[].on_gap                           stop
            puller.backends[].start                            stop
            puller.backends[].images                           when_available
            puller.backends[].streams                          3
            puller.backends[].tenant.field                     owner.id
            puller.grpc.address                                127.0.0.1:50061
            puller.grpc.max_connections                        11
            puller.checkpoint.backend                          mongodb
            puller.checkpoint.endpoints                        [http://10.0.0.3:2379]
            puller.checkpoint.interval                         12s
            puller.checkpoint.event_count                      13
            puller.buffer.path                                 /tmp/events
            puller.buffer.max_size                             14MiB
            puller.buffer.min_free                             15KiB
            puller.buffer.batch_size                           16
            puller.buffer.batch_interval                       17ms
            puller.buffer.queue_size                           18
            puller.consumer.catch_up_threshold                 19
            puller.consumer.coalesce_on_catch_up               false
            puller.consumer.slow_threshold                     20ms
            puller.consumer.critical_threshold                 21ms
            puller.cleaner.interval                            22s
            puller.cleaner.retention                           23h
            puller.metrics.host                                localhost
            puller.metrics.port                                9124
            puller.metrics.path                                /m
            puller.health.host                                 localhost
            puller.health.port                                 8125
            puller.health.path                                 /h
            puller.max_ahead_wait                              26s
            routing.mode                                       broadcast
            routing.max_fanout                                 28
            routing.num_partitions                             27
            routing.stuck_after                                84s
            routing.max_stuck                                  85
            routing.path                                       /tmp/streamer
            routing.pullers                                    [10.0.0.1:50051, pull.example:50052]
            routing.grpc.address                               127.0.0.1:50063
            routing.subscriptions.per_gateway                  74
            routing.subscriptions.per_tenant                   75
            routing.subscriptions.total                        76
            routing.batch.max_size                             29
            routing.batch.max_wait                             30ms
            routing.batch.flush_interval                       29ms
            routing.backpressure.soft_watermark                31
            routing.backpressure.hard_watermark                32
            routing.backpressure.queue_size                    33
            routing.delivery.protocol                          kafka
            routing.delivery.timeout                           34s
            routing.delivery.retry.max_attempts                35
            routing.delivery.retry.initial_delay               36ms
            routing.delivery.retry.max_delay                   37s
            routing.delivery.retry.multiplier                  3.8
            routing.delivery.nats.mode                         jetstream
            routing.delivery.nats.user                         streamer
            routing.delivery.nats.password                     82
            routing.dlq.enabled                                false
            routing.dlq.max_age                                39d
            reliability.checkpoint.backend                     etcd
            reliability.checkpoint.endpoints                   [https://10.0.0.4:2379]
            reliability.checkpoint.interval                    40s
            reliability.checkpoint.event_count                 41
            reliability.gap_detection.enabled                  false
            reliability.gap_detection.max_gap                  44m
            reliability.circuit_breaker.threshold              45
            reliability.circuit_breaker.timeout                46s
            reliability.shutdown.flush_timeout                 47s
            reliability.shutdown.checkpoint_timeout            48s
            reliability.lag_threshold                          49s
            outbox.name                                        shop
            outbox.datasource.url                              jdbc:postgresql://127.0.0.1/shop
            outbox.datasource.username                         relay
            outbox.datasource.password                         hunter2
            outbox.sink                                        nats
            outbox.kafka.bootstrap_servers                     127.0.0.1:9093, [::1]:9094
            outbox.nats.servers                                [nats://127.0.0.1:4223]
            outbox.nats.user                                   relay
            outbox.nats.password                               geheim
            outbox.batch.min_rows                              82
            outbox.batch.max_rows                              83
            outbox.max_attempts                                84
            outbox.dead_letter_topic                           shop.dead
            outbox.keep                                        85h
            outbox.assignment                                  modulo
            outbox.weight                                      86
            outbox.global_lock                                 outbox.task
            outbox.profile                                     relaxed
            outbox.node.id                                     node-50
            outbox.node.timeout                                51m
            outbox.total.partitions                            52
            outbox.task.scheduler.publish.fixed_rate           53s
            outbox.task.scheduler.publish.initial_delay        54s
            outbox.task.scheduler.heartbeat.fixed_rate         55s
            shedlock.defaults.lock_at_most_for                 57m
            worker.servers                                     [nats://127.0.0.1:4224]
            worker.user                                        worker
            worker.password                                    hush
            worker.replicas                                    3
            worker.stream                                      ORDERS
            worker.consumer_prefix                             orders
            worker.partitions.subjects                         [orders.eu, orders.us]
            worker.partitions.hashed.count                     87
            worker.consumers                                   per_partition
            worker.max_subjects                                88
            worker.shards                                      89
            worker.min_update_interval                         90s
            worker.max_ack_pending                             91
            worker.max_waiting                                 92
            worker.ack_wait                                    93s
            worker.attempts                                    94
            worker.backoff                                     [95ms, 96ms]
            worker.inactive_threshold                          97m
            worker.batch                                       17
            worker.batch_bytes                                 98KiB
            worker.start                                       now
            worker.on_gap                                      continue
            worker.discover                                    99s
            worker.order                                       key
            worker.strategy                                    modulo
            worker.max_singles                                 100
            worker.id_file                                     /tmp/worker.id
            worker.migration.window                            103s
            worker.migration.windows                           104
            worker.migration.bad_windows                       5
            worker.migration.burn_in                           105m
            worker.migration.max_lag                           106
            worker.migration.max_redelivered                   7
            worker.dlq.stream                                  ORDERS_DEAD
            worker.dlq.max_bytes                               101KiB
            worker.handler.type                                http
            worker.handler.url                                 https://127.0.0.1/orders
            worker.handler.token                               bearer
            worker.handler.timeout                             102s
            cluster.store                                      nats
            cluster.endpoints                                  [nats://127.0.0.1:4222]
            cluster.tls.ca                                     ../core/pom.xml
            cluster.tls.certificate                            ../pom.xml
            cluster.tls.key                                    pom.xml
            cluster.prefix                                     /other/
            cluster.node_id                                    node-70
            cluster.lease_ttl                                  71s
            cluster.assignment                                 modulo
            cluster.replicas                                   3
            cluster.secrets                                    [0123456789abcdef]
            gateway.address                                    127.0.0.1:8091
            gateway.id                                         g-77
            gateway.streamer                                   10.0.0.1:50078
            gateway.receive                                    127.0.0.1:8092
            gateway.advertise                                  http://10.0.0.2:8092
            gateway.jwt.secret                                 0123456789abcdef0123456789abcdef
            gateway.jwt.other_secrets                          [abcdef0123456789abcdef0123456789]
            gateway.origins                                    [https://app.example.com]
            gateway.limits.connections                         79
            gateway.limits.connections_per_address             80
            gateway.limits.subscriptions_per_connection        81
            gateway.lease                                      73s
            gateway.grace                                      72s
            security.tls.certificate                           pom.xml
            security.tls.key                                   ../pom.xml
            security.tls.ca                                    ../core/pom.xml
            security.token                                     0123456789abcdef
            security.insecure                                  true
            log.level                                          debug
            """;

    /** Keys that exclude one of the above; each is set in a file of its own. */
    private static final Map<String, String> ALTERNATIVES = Map.ofEntries(
            Map.entry("puller.backends[].exclude_collections", "[logs]"),
            Map.entry("outbox.delivery", "exactly_once"),
            Map.entry("outbox.cloud_events", "true"),
            Map.entry("outbox.nats.token", "tk"),
            Map.entry("outbox.nats.credentials", "pom.xml"),
            Map.entry("worker.token", "tk"),
            Map.entry("worker.credentials", "pom.xml"),
            Map.entry("worker.partitions.pattern", "dc.{tool}.{chamber}.completion"),
            Map.entry("worker.partitions.hashed.prefix", "orders"),
            Map.entry("worker.handler.subject", "out.{partition}"),
            Map.entry("gateway.jwt.public_key", "pom.xml"),
            Map.entry("routing.delivery.nats.token", "tk"),
            Map.entry("routing.delivery.nats.credentials", "pom.xml"),
            Map.entry("puller.backends[].tenant.id_prefix", "/"),
            Map.entry("puller.backends[].tenant.database", "true"),
            Map.entry("puller.backends[].tenant.constant", "acme"));

    @Test
    void everyKeyArrivesInItsRecord() {
        var settings = table();
        var config = read(settings);
        var defaults = SluiceConfig.defaults();
        settings.forEach((key, value) -> {
            assertThat(SettingValues.at(config, key)).as(key).isEqualTo(value);
            if (!key.contains("[]")) {
                assertThat(SettingValues.at(defaults, key))
                        .as("%s must differ from its default", key)
                        .isNotEqualTo(value);
            }
        });
    }

    @Test
    void alternativesArriveToo() {
        ALTERNATIVES.forEach((key, value) -> {
            var settings = new TreeMap<>(Map.of(
                    "storage.backends[].name", "a",
                    "storage.backends[].connection", "mongodb://127.0.0.1",
                    "storage.backends[].database", "d",
                    "puller.backends[].name", "a"));
            settings.put(key, value);
            assertThat(SettingValues.at(read(settings), key)).as(key).isEqualTo(value);
        });
    }

    @Test
    void anOutboxArrivesAsABackend() {
        var config = read(new TreeMap<>(Map.of(
                "storage.backends[].name", "a",
                "storage.backends[].type", "outbox",
                "storage.backends[].connection", "jdbc:postgresql://127.0.0.1/a",
                "puller.backends[].name", "a")));
        assertThat(config.storage().backends().getFirst().type()).isEqualTo(StorageConfig.Type.OUTBOX);
    }

    @Test
    void logLevelsOfSingleLoggersArrive() {
        var config =
                ((Reading.Accepted) ConfigFile.parse("log: {levels: {dev.sluice.capture: trace}}", Map.of())).config();
        assertThat(config.log().levels()).containsExactly(Map.entry("dev.sluice.capture", LogConfig.Level.TRACE));
    }

    @Test
    void howToComeToKafkaArrivesAndIsNotShown() {
        var yaml =
                "routing: {delivery: {kafka: {properties: {security.protocol: SASL_SSL, sasl.jaas.config: '${J}'}}}}";
        var config = ((Reading.Accepted) ConfigFile.parse(yaml, Map.of("J", "password=x"))).config();
        assertThat(config.routing().delivery().kafka().properties())
                .containsOnly(
                        Map.entry("security.protocol", new Secret("SASL_SSL")),
                        Map.entry("sasl.jaas.config", new Secret("password=x")));
        assertThat(config.toString()).doesNotContain("password=x");
        assertThat(ConfigFile.parse("routing: {delivery: {kafka: {properties: {acks: '0'}}}}", Map.of()))
                .isInstanceOf(Reading.Refused.class);
    }

    @Test
    void otherPublicKeysArrive() {
        var yaml = "gateway: {jwt: {public_key: pom.xml, other_public_keys: [../pom.xml]}}";
        var config = ((Reading.Accepted) ConfigFile.parse(yaml, Map.of())).config();
        assertThat(config.gateway().jwt().otherPublicKeys()).containsExactly(Path.of("../pom.xml"));
    }

    @Test
    void kafkasOwnSettingsArriveAndAreNotShown() {
        var config = ((Reading.Accepted) ConfigFile.parse(
                        "outbox: {kafka: {properties: {linger.ms: 5, sasl.jaas.config: '${JAAS}'}}}",
                        Map.of("JAAS", "hunter2")))
                .config();
        assertThat(config.outbox().kafka().properties())
                .containsOnly(
                        Map.entry("linger.ms", new Secret("5")), Map.entry("sasl.jaas.config", new Secret("hunter2")));
        assertThat(config.toString()).doesNotContain("hunter2");
    }

    @Test
    void keysOfPayloadsArriveAndAreNotShown() {
        var key = "MDEyMzQ1Njc4OWFiY2RlZg==";
        var yaml = "outbox: {encryption: {keys: {2026-11: '${KEY}'}, key_files: {2026-10: pom.xml}}}";
        var config = ((Reading.Accepted) ConfigFile.parse(yaml, Map.of("KEY", key))).config();
        assertThat(config.outbox().encryption().keys()).containsOnly(Map.entry("2026-11", new Secret(key)));
        assertThat(config.outbox().encryption().keyFiles()).containsOnly(Map.entry("2026-10", Path.of("pom.xml")));
        assertThat(config.toString()).doesNotContain(key);
        assertThat(ConfigFile.parse(yaml, Map.of("KEY", "hunter2")))
                .isInstanceOfSatisfying(
                        Reading.Refused.class,
                        refused -> assertThat(refused.toString())
                                .contains("outbox.encryption.keys", "base64 of 16, 24 or 32 bytes")
                                .doesNotContain("hunter2"));
    }

    @Test
    void noKeyIsForgottenHere() {
        var tested = table();
        tested.putAll(ALTERNATIVES);
        tested.put("log.levels", "above");
        tested.put("gateway.jwt.other_public_keys", "above");
        tested.put("routing.delivery.kafka.properties", "above");
        tested.put("outbox.kafka.properties", "above");
        tested.put("outbox.encryption.keys", "above");
        tested.put("outbox.encryption.key_files", "above");
        assertThat(KeyReference.of(SluiceConfig.class))
                .extracting(KeyReference::key)
                .containsExactlyInAnyOrderElementsOf(tested.keySet());
    }

    private static Map<String, String> table() {
        var settings = new LinkedHashMap<String, String>();
        EVERY_KEY.lines().map(line -> line.split(" +", 2)).forEach(row -> settings.put(row[0], row[1]));
        return settings;
    }

    private static SluiceConfig read(Map<String, String> settings) {
        var reading = ConfigFile.parse(yaml(settings), Map.of());
        assertThat(reading).isInstanceOf(Reading.Accepted.class);
        return ((Reading.Accepted) reading).config();
    }

    /** Keys into nested flow mappings. */
    static String yaml(Map<String, String> settings) {
        var children = new TreeMap<String, Map<String, String>>();
        var text = new StringBuilder("{");
        settings.forEach((key, value) -> {
            var dot = key.indexOf('.');
            if (dot < 0) {
                text.append(key)
                        .append(": ")
                        .append(value.startsWith("[") || value.startsWith("{") ? value : "\"" + value + "\"")
                        .append(", ");
            } else {
                children.computeIfAbsent(key.substring(0, dot), k -> new LinkedHashMap<>())
                        .put(key.substring(dot + 1), value);
            }
        });
        children.forEach((key, below) -> {
            var list = key.endsWith("[]");
            text.append(
                            list
                                    ? key.substring(0, key.length() - 2) + ": [" + yaml(below) + "]"
                                    : key + ": " + yaml(below))
                    .append(", ");
        });
        return text.append("}").toString();
    }
}
