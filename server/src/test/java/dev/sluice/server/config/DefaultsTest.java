package dev.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.config.yaml.KeyReference;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Pins every default. Where the design drafts say something else, the difference is written beside it. */
class DefaultsTest {

    private static final SluiceConfig DEFAULTS = SluiceConfig.defaults();

    /** Draft 000 §10. */
    private static final String ROUTING = """
            routing.mode                               direct
            routing.num_partitions                     1
            routing.batch.max_size                     100
            routing.batch.max_wait                     50ms
            routing.batch.flush_interval               10ms
            routing.backpressure.soft_watermark        70
            routing.backpressure.hard_watermark        90
            routing.backpressure.queue_size            10000
            routing.delivery.protocol                  http
            routing.delivery.timeout                   5s
            routing.delivery.retry.max_attempts        3
            routing.delivery.retry.initial_delay       100ms
            routing.delivery.retry.max_delay           5s
            routing.delivery.retry.multiplier          2.0
            routing.dlq.enabled                        true
            routing.dlq.max_age                        7d
            # added: broadcast reaches all live gateways (the draft's sketch took 3 at random, and missed the owner)
            routing.max_fanout                         0
            # added: the Streamer's control server
            routing.grpc.address                       127.0.0.1:50052
            # added: where the Streamer keeps its own, what it reads, and the quotas
            routing.path                               unset
            # added: subscriptions that are delivered apart
            routing.stuck_after                        5s
            routing.max_stuck                          256
            routing.pullers                            []
            routing.subscriptions.per_gateway          10000
            routing.subscriptions.per_tenant           50000
            routing.subscriptions.total                1000000
            # added: as whom to come to NATS and Kafka
            routing.delivery.nats.mode                 request
            routing.delivery.nats.user                 unset
            routing.delivery.nats.password             unset
            routing.delivery.nats.token                unset
            routing.delivery.nats.credentials          unset
            routing.delivery.kafka.properties          {}
            """;

    /** Draft 001 §12. */
    private static final String RELIABILITY = """
            # differs: the draft says etcd; the embedded default needs no other server
            reliability.checkpoint.backend             local
            # added: where etcd is
            reliability.checkpoint.endpoints           []
            reliability.checkpoint.interval            5s
            reliability.checkpoint.event_count         1000
            reliability.gap_detection.enabled          true
            reliability.gap_detection.max_gap          5m
            reliability.circuit_breaker.threshold      5
            reliability.circuit_breaker.timeout        30s
            reliability.shutdown.flush_timeout         10s
            reliability.shutdown.checkpoint_timeout    5s
            # added: the threshold of the draft's §7.2
            reliability.lag_threshold                  30s
            """;

    /** Draft 003 §7, and its §4 for batching. */
    private static final String PULLER = """
            # differs: the draft's ":50051" is every interface there; here every address is loopback
            puller.grpc.address                        127.0.0.1:50051
            puller.grpc.max_connections                100
            # differs: the draft says mongodb; local needs no other server
            puller.checkpoint.backend                  local
            # added: where etcd is
            puller.checkpoint.endpoints                []
            puller.checkpoint.interval                 1s
            puller.checkpoint.event_count              1000
            puller.buffer.path                         /var/lib/puller/events
            puller.buffer.max_size                     10GiB
            puller.buffer.batch_size                   100
            puller.buffer.batch_interval               5ms
            puller.buffer.queue_size                   1000
            puller.consumer.catch_up_threshold         100000
            puller.consumer.coalesce_on_catch_up       true
            puller.cleaner.interval                    1m
            puller.cleaner.retention                   1h
            puller.metrics.port                        9090
            puller.metrics.path                        /metrics
            puller.health.port                         8080
            puller.health.path                         /health
            # added: loopback, and a way to say otherwise
            puller.metrics.host                        127.0.0.1
            puller.health.host                         127.0.0.1
            # added
            puller.buffer.min_free                     1GiB
            puller.max_ahead_wait                      30s
            # added: the thresholds of the draft's §5.2
            puller.consumer.slow_threshold             100ms
            puller.consumer.critical_threshold         500ms
            """;

    /** Draft 004 §7. */
    private static final String OUTBOX = """
            outbox.name                                            outbox
            outbox.datasource.url                                  unset
            outbox.datasource.username                             unset
            outbox.datasource.password                             unset
            outbox.sink                                            kafka
            outbox.kafka.bootstrap_servers                         127.0.0.1:9092
            outbox.kafka.properties                                {}
            outbox.nats.servers                                    [nats://127.0.0.1:4222]
            outbox.nats.user                                       unset
            outbox.nats.password                                   unset
            outbox.nats.token                                      unset
            outbox.nats.credentials                                unset
            outbox.encryption.keys                                 {}
            outbox.encryption.key_files                            {}
            outbox.delivery                                        at_least_once
            outbox.cloud_events                                    false
            outbox.batch.min_rows                                  500
            outbox.batch.max_rows                                  2000
            outbox.max_attempts                                    10
            outbox.dead_letter_topic                               unset
            outbox.keep                                            off
            # differs: the draft knows modulo alone, which moves more partitions than it must
            outbox.assignment                                      unset
            outbox.weight                                          1
            outbox.global_lock                                     unset
            outbox.total.partitions                                6
            outbox.task.scheduler.publish.fixed_rate               10s
            outbox.task.scheduler.publish.initial_delay            10s
            # differs: by profile; the draft's 30s beat and 2m timeout are `profile: relaxed`, see below
            outbox.profile                                         standard
            outbox.task.scheduler.heartbeat.fixed_rate             unset
            outbox.node.timeout                                    unset
            # HOSTNAME where there is one, tested below
            outbox.node.id                                         unset
            # differs: the draft says PT5M, a slow takeover; unset = the node timeout
            shedlock.defaults.lock_at_most_for                     unset
            """;

    /** Draft 002, with the names of the contracts. */
    private static final String WORKER = """
            worker.servers                         [nats://127.0.0.1:4222]
            worker.user                            unset
            worker.password                        unset
            worker.token                           unset
            worker.credentials                     unset
            worker.replicas                        1
            worker.stream                          unset
            worker.consumer_prefix                 sluice
            worker.partitions.subjects             []
            worker.partitions.pattern              unset
            worker.partitions.hashed.prefix        unset
            worker.partitions.hashed.count         64
            worker.consumers                       per_worker
            worker.max_subjects                    500
            worker.shards                          1
            worker.min_update_interval             1s
            worker.max_ack_pending                 500
            worker.max_waiting                     256
            worker.ack_wait                        30s
            worker.attempts                        3
            worker.backoff                         [2s, 5s, 15s]
            # the draft names no value: more than a lease and a handoff
            worker.inactive_threshold              10m
            worker.batch                           50
            worker.batch_bytes                     unset
            worker.start                           earliest
            worker.on_gap                          stop
            worker.discover                        10s
            worker.order                           partition
            worker.strategy                        unset
            worker.max_singles                     8
            worker.id_file                         unset
            worker.migration.window                30s
            worker.migration.windows               3
            worker.migration.bad_windows           3
            worker.migration.burn_in               10m
            worker.migration.max_lag               10000
            worker.migration.max_redelivered       3
            worker.dlq.stream                      SLUICE_WORKER_DLQ
            worker.dlq.max_bytes                   1GiB
            worker.handler.type                    unset
            worker.handler.url                     unset
            worker.handler.subject                 unset
            worker.handler.token                   unset
            worker.handler.timeout                 10s
            """;

    /** The sections no draft has. */
    private static final String THE_REST = """
            cluster.store                  memory
            cluster.endpoints              []
            cluster.tls.ca                 unset
            cluster.tls.certificate        unset
            cluster.tls.key                unset
            cluster.prefix                 /sluice/
            cluster.node_id                unset
            cluster.lease_ttl              10s
            cluster.assignment             sticky
            cluster.replicas               1
            cluster.secrets                []
            gateway.address                127.0.0.1:8090
            gateway.id                     unset
            gateway.streamer               unset
            gateway.receive                127.0.0.1:0
            gateway.advertise              unset
            gateway.jwt.secret             unset
            gateway.jwt.other_secrets      []
            gateway.jwt.public_key         unset
            gateway.jwt.other_public_keys  []
            gateway.origins                []
            gateway.limits.connections                   10000
            gateway.limits.connections_per_address       100
            gateway.limits.subscriptions_per_connection  100
            gateway.lease                  30s
            gateway.grace                  5m
            security.tls.certificate       unset
            security.tls.key               unset
            security.tls.ca                unset
            security.token                 unset
            security.insecure              false
            log.level                      info
            log.levels                     {}
            """;

    /** What one item of a list is when only its required keys are set. */
    private static final String ITEMS = """
            storage.backends[].type                    mongodb
            storage.backends[].database                shop
            puller.backends[].include_collections      []
            puller.backends[].exclude_collections      []
            puller.backends[].on_gap                   resync
            puller.backends[].start                    now
            puller.backends[].images                   none
            puller.backends[].streams                  1
            puller.backends[].tenant.field             unset
            puller.backends[].tenant.id_prefix         unset
            puller.backends[].tenant.database          false
            puller.backends[].tenant.constant          unset
            """;

    private static final List<String> REQUIRED =
            List.of("storage.backends[].name", "storage.backends[].connection", "puller.backends[].name");

    @ParameterizedTest(name = "{0} is {1}")
    @MethodSource
    void settingsHaveTheirDocumentedDefault(String key, String expected) {
        assertThat(SettingValues.at(DEFAULTS, key)).as(key).isEqualTo(expected);
    }

    static Stream<Arguments> settingsHaveTheirDocumentedDefault() {
        return Stream.of(ROUTING, RELIABILITY, PULLER, OUTBOX, WORKER, THE_REST).flatMap(DefaultsTest::rows);
    }

    @ParameterizedTest(name = "{0} is {1}")
    @MethodSource("items")
    void itemsHaveTheirDocumentedDefault(String key, String expected) {
        var config = accepted("""
                storage: {backends: [{name: a, connection: "mongodb://127.0.0.1", database: shop}]}
                puller: {backends: [{name: a}]}
                """, Map.of());
        assertThat(SettingValues.at(config, key)).as(key).isEqualTo(expected);
    }

    static Stream<Arguments> items() {
        return rows(ITEMS);
    }

    @Test
    void noKeyIsLeftUnpinned() {
        var pinned = new HashSet<>(REQUIRED);
        Stream.of(ROUTING, RELIABILITY, PULLER, OUTBOX, WORKER, THE_REST, ITEMS)
                .flatMap(DefaultsTest::rows)
                .forEach(row -> pinned.add((String) row.get()[0]));
        assertThat(KeyReference.of(SluiceConfig.class))
                .extracting(KeyReference::key)
                .containsExactlyInAnyOrderElementsOf(pinned);
    }

    @Test
    void theStandardOutboxProfileNoticesADeadNodeInThirtySeconds() {
        assertThat(DEFAULTS.outbox().heartbeat()).hasSeconds(10);
        assertThat(DEFAULTS.outbox().nodeTimeout()).hasSeconds(30);
        assertThat(DEFAULTS.lockAtMostFor()).hasSeconds(30);
    }

    @Test
    void theRelaxedOutboxProfileIsTheDrafts() {
        var config = accepted("outbox: {profile: relaxed}", Map.of());
        assertThat(config.outbox().heartbeat()).hasSeconds(30);
        assertThat(config.outbox().nodeTimeout()).hasMinutes(2);
        assertThat(config.lockAtMostFor()).hasMinutes(2);
    }

    @Test
    void nodesAreNamedAfterTheHostUnlessSomethingElseIsSaid() {
        var host = Map.of("HOSTNAME", "host-1");
        assertThat(accepted("", host).outbox().node().id()).contains("host-1");
        assertThat(accepted("", host).cluster().nodeId()).contains("host-1");
        assertThat(accepted("outbox: {node: {id: mine}}", host).outbox().node().id())
                .contains("mine");
    }

    @Test
    void outboxVariablesWinOverTheFile() {
        var config = accepted(
                "outbox: {node: {id: mine}, total: {partitions: 8}}",
                Map.of("OUTBOX_NODE_ID", "theirs", "OUTBOX_PARTITIONS", "12"));
        assertThat(config.outbox().node().id()).contains("theirs");
        assertThat(config.outbox().total().partitions()).isEqualTo(12);
    }

    private static SluiceConfig accepted(String text, Map<String, String> environment) {
        var reading = ConfigFile.parse(text, environment);
        assertThat(reading).isInstanceOf(Reading.Accepted.class);
        return ((Reading.Accepted) reading).config();
    }

    private static Stream<Arguments> rows(String table) {
        return table.lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split(" +", 2))
                .map(row -> Arguments.of(row[0], row[1]));
    }
}
