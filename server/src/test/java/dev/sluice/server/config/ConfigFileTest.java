package dev.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.BackendName;
import dev.sluice.net.ListenAddress;
import dev.sluice.server.config.yaml.Problem;
import dev.sluice.worker.ConsumerPrefix;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigFileTest {

    @TempDir
    Path folder;

    @Test
    void anEmptyFileIsAllDefaults() {
        assertThat(ConfigFile.parse("# nothing\n", Map.of()))
                .isEqualTo(new Reading.Accepted(SluiceConfig.defaults(), List.of()));
    }

    @Test
    void namesThatReferToEachOtherAreChecked() {
        assertThat(problems("""
                        storage:
                          backends:
                            - {name: main, connection: "mongodb://127.0.0.1", database: a}
                            - {name: main, connection: "mongodb://127.0.0.2", database: b}
                            - {name: side, connection: "mongodb://127.0.0.3", database: c}
                        puller:
                          backends:
                            - name: mian
                            - name: side
                            - name: side
                        """))
                .containsExactly(
                        "4 storage.backends[1].name: is used by another backend too; names must differ",
                        "8 puller.backends[0].name: is not in storage.backends; did you mean main?",
                        "10 puller.backends[2].name: is watched twice; keep one, and set streams there if one change"
                                + " stream is too few");
    }

    @Test
    void addressesThatNobodyCouldUseAreSaidBeforeAnythingStarts() {
        assertThat(problems("""
                        storage:
                          backends:
                            - {name: main, connection: "mongodb://user:se:cret@127.0.0.1", database: a}
                            - {name: east, connection: "mongodb+srv://east.example/?w=majority", database: a}
                            - {name: jobs, type: outbox, connection: "jdbc:postgresql://127.0.0.1/jobs"}
                        puller:
                          backends:
                            - name: main
                          checkpoint: {backend: etcd}
                        cluster: {store: etcd, endpoints: ["http://127.0.0.1:2379", "http://no host", "etcd:2379"]}
                        """))
                .containsExactly(
                        "3 storage.backends[0].connection: is not a MongoDB connection string; write"
                                + " mongodb://HOST:PORT/?OPTIONS, and percent-encode : / ? # [ ] @ in user and password",
                        "10 cluster.endpoints[1]: is not the address of an etcd server; write http://HOST:PORT or"
                                + " https://HOST:PORT",
                        "10 cluster.endpoints[2]: is not the address of an etcd server; write http://HOST:PORT or"
                                + " https://HOST:PORT");
    }

    @Test
    void aBrokenBackendIsNotAlsoAMissingName() {
        assertThat(problems("""
                        storage: {backends: [{name: main, connection: "mongodb://127.0.0.1"}]}
                        puller: {backends: [{name: main}]}
                        """)).containsExactly("1 storage.backends[0].database: must be set: the database to watch");
    }

    @Test
    void includeAndExcludeTogetherAreRefused() {
        assertThat(problems("""
                        storage: {backends: [{name: a, connection: "mongodb://127.0.0.1", database: d}]}
                        puller:
                          backends:
                            - name: a
                              include_collections: [x]
                              exclude_collections: [y]
                        """))
                .containsExactly("6 puller.backends[0].exclude_collections: cannot be combined with"
                        + " include_collections; keep the one you mean");
    }

    @Test
    void aConnectionMustFitItsTypeAndIsNotQuoted() {
        assertThat(
                        problems(
                                "storage: {backends: [{name: a, connection: 'mysql://u:hunter2@h', database: d, type: outbox}]}"))
                .containsExactly("1 storage.backends[0].connection: must start with jdbc: for type outbox");
    }

    @Test
    void anOutboxIsADatabaseOfOursAndReadWhole() {
        assertThat(problems("storage: {backends: [{name: a, connection: 'jdbc:oracle:u/hunter2@h', type: outbox}]}"))
                .containsExactly("1 storage.backends[0].connection: is no database an outbox can be in; write"
                        + " jdbc:postgresql://HOST/DATABASE, jdbc:mariadb://HOST/DATABASE (MySQL too) or jdbc:h2:FILE");
        assertThat(problems("""
                        storage: {backends: [{name: a, connection: "jdbc:h2:mem:a", type: outbox}]}
                        puller:
                          backends:
                            - name: a
                              include_collections: [x]
                              images: required
                              tenant: {database: true}
                        """))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("5 puller.backends[0].include_collections: does not go"),
                        line -> assertThat(line).startsWith("6 puller.backends[0].images: does not go"),
                        line -> assertThat(line).startsWith("7 puller.backends[0].tenant.database: does not go"));
    }

    @Test
    void twoServersOnOnePortAreRefused() {
        assertThat(problems("puller:\n  health: {port: 9090}\n"))
                .containsExactly(
                        "2 puller.health.port: port 9090 is also that of puller.metrics.port; give each its own");
        assertThat(ConfigFile.parse("puller: {health: {port: 0}, metrics: {port: 0}}", Map.of()))
                .isInstanceOf(Reading.Accepted.class);
    }

    @Test
    void onePortOnTwoInterfacesIsNoClash() {
        assertThat(clash("127.0.0.1", "127.0.0.2")).isFalse();
        assertThat(clash("127.0.0.1", "127.0.0.1")).isTrue();
        assertThat(clash("127.0.0.1", "localhost")).as("two names of one").isTrue();
        assertThat(clash("127.0.0.1", "0.0.0.0")).as("all of them").isTrue();
        assertThat(clash("::", "127.0.0.1")).as("all of them").isTrue();
    }

    private static boolean clash(String one, String other) {
        return new Listener("a", new ListenAddress(one, 9090))
                .clashesWith(new Listener("b", new ListenAddress(other, 9090)));
    }

    @Test
    void watermarksAndThresholdsMustBeInOrder() {
        assertThat(problems("routing:\n  backpressure:\n    soft_watermark: 95\n"))
                .containsExactly("2 routing.backpressure.hard_watermark: must be above soft_watermark (95), is 90");
        assertThat(problems("outbox: {node: {timeout: 5s}, task: {scheduler: {heartbeat: {fixed_rate: 3s}}}}"))
                .containsExactly(
                        "1 outbox.node.timeout: 5s must be at least twice the heartbeat's fixed_rate (3s), or a"
                                + " live node counts as dead");
        assertThat(accepted("outbox: {node: {timeout: 6s}}", Map.of()).outbox().heartbeat())
                .as("it follows a shorter timeout")
                .hasSeconds(2);
    }

    @Test
    void anAddressThatOthersCanReachNeedsTlsAndACredential() throws Exception {
        var pem = Files.writeString(folder.resolve("some.pem"), "");
        var tls = "tls: {certificate: '%s', key: '%s'}".formatted(pem, pem);
        var open = "puller:\n  grpc:\n    address: 0.0.0.0:50051\n  metrics:\n    host: 0.0.0.0\n";
        assertThat(problems(open))
                .hasSize(2)
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith("3 puller.grpc.address: this server may not listen on 0.0.0.0:50051"),
                        line -> assertThat(line).startsWith("5 puller.metrics.host: this server may not listen on"));
        assertThat(problems(open + "security: {token: 0123456789abcdef}\n")).hasSize(2);
        assertThat(problems(open + "security: {" + tls + "}\n")).hasSize(2);
        assertThat(ConfigFile.parse(open + "security: {token: 0123456789abcdef, " + tls + "}\n", Map.of()))
                .isInstanceOf(Reading.Accepted.class);
        assertThat(warnings(open + "security: {insecure: true}\n"))
                .containsExactly("6 security.insecure: lets anyone who reaches these addresses read every change");
    }

    @Test
    void aReceiversTokenThatGoesUnencryptedToAnotherMachineIsSaid() {
        var worker = "worker: {handler: {type: %s, url: '%s', token: hunter2}}\n";
        assertThat(warnings(worker.formatted("http", "http://10.0.0.5/orders")))
                .singleElement()
                .asString()
                .contains("worker.handler.token", "10.0.0.5", "write https://")
                .doesNotContain("hunter2");
        assertThat(warnings(worker.formatted("grpc", "http://orders.example.com:50060")))
                .singleElement()
                .asString()
                .contains("orders.example.com");
        for (var safe :
                List.of("https://10.0.0.5/o", "http://127.0.0.1:80/o", "http://localhost/o", "http://[::1]:9/o")) {
            assertThat(warnings(worker.formatted("http", safe))).as(safe).isEmpty();
        }
        assertThat(warnings("worker: {handler: {type: http, url: 'http://10.0.0.5/o'}}\n"))
                .isEmpty();
    }

    @Test
    void aConsumerPrefixHasTheSameLimitInTheConfigurationAsInTheLibrary() {
        var worker = "worker: {consumer_prefix: %s}\n";
        assertThat(warnings(worker.formatted("p".repeat(64)))).isEmpty();
        assertThat(problems(worker.formatted("p".repeat(65))))
                .singleElement()
                .asString()
                .contains(ConsumerPrefix.RULE);
    }

    @Test
    void aShortTokenIsRefusedWithoutShowingIt() {
        assertThat(problems("security: {token: hunter2}"))
                .singleElement()
                .asString()
                .doesNotContain("hunter2");
    }

    @Test
    void spacesAreNoToken() {
        assertThat(problems("security: {token: '                '}"))
                .containsExactly(
                        "1 security.token: must have at least 16 characters that are not spaces; make one with:"
                                + " openssl rand -hex 32");
    }

    @Test
    void tlsFilesThatAreNotThereAreRefused() {
        assertThat(problems("""
                        security:
                          tls:
                            certificate: absent/cert.pem
                            key: %s
                            ca: absent/ca.pem
                        """.formatted(folder)))
                .containsExactly(
                        "3 security.tls.certificate: is not a file on this machine; write the path of a file that is",
                        "4 security.tls.key: is not a file on this machine; write the path of a file that is",
                        "5 security.tls.ca: is not a file on this machine; write the path of a file that is");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    shedlock: {defaults: {lock_at_most_for: 0s}} | shedlock.defaults.lock_at_most_for: must be longer than 0s
                    shedlock: {defaults: {lock_at_most_for: 15s}} | shedlock.defaults.lock_at_most_for: 15s must be at least twice the heartbeat's fixed_rate (10s), or a live node loses its locks
                    cluster: {store: jdbc, endpoints: ['jdbc:h2:mem:a', 'jdbc:h2:mem:b']} | cluster.endpoints: must be one URL for store: jdbc; name several hosts in it, as in jdbc:postgresql://a,b/sluice?targetServerType=primary
                    routing: {max_fanout: 3}                     | routing.max_fanout: is for mode: broadcast alone; remove it, or set the mode
                    gateway: {grace: 0s}                         | gateway.grace: must be longer than 0s
                    outbox: {node: {id: ' '}}                    | outbox.node.id: must be a name: not blank, and not a #{...} expression, which nobody evaluates here
                    outbox: {name: a/b}                          | outbox.name: must be 1 to 64 letters, digits, _, - or ., not starting with ., because locks and topics are named after it
                    outbox: {datasource: {url: 'jdbc:oracle:x'}} | outbox.datasource.url: must start with jdbc:postgresql:, jdbc:mariadb: (also for MySQL) or jdbc:h2:
                    outbox: {kafka: {bootstrap_servers: kafka}}  | outbox.kafka.bootstrap_servers: must be brokers as host:port with commas between, as in 127.0.0.1:9092
                    outbox: {kafka: {properties: {acks: 1}}}     | outbox.kafka.properties: must be without acks: that is set by the relay, or by bootstrap_servers
                    outbox: {nats: {servers: []}}                | outbox.nats.servers: must name at least one server
                    outbox: {sink: nats, delivery: exactly-once} | outbox.delivery: exactly-once needs sink: kafka; JetStream drops repeats by message id, within its duplicate window
                    outbox: {sink: nats, cloud_events: true}     | outbox.cloud_events: needs sink: kafka, whose records have CloudEvents headers; remove it, or send to Kafka
                    outbox: {delivery: twice}                    | outbox.delivery: 'twice' is not one of at_least_once, exactly_once
                    outbox: {keep: yes}                          | outbox.keep: 'yes' is not a duration; write a whole number and a unit, as in 50ms, 5s, 3m, 1h or 7d
                    outbox: {keep: 0s}                           | outbox.keep: '0s' is no time to keep anything; write off, or an age such as 7d
                    outbox: {max_attempts: 0}                    | outbox.max_attempts: must be between 1 and 100, is 0
                    outbox: {weight: 0}                          | outbox.weight: must be between 1 and 1000, is 0
                    outbox: {batch: {min_rows: 3000}}            | outbox.batch.max_rows: must be between min_rows (3000) and 10000, is 2000
                    outbox: {dead_letter_topic: 'a b'}           | outbox.dead_letter_topic: must be a topic: 1 to 249 letters, digits, _, - or .
                    outbox: {global_lock: 'a b'}                 | outbox.global_lock: must be the name of a ShedLock lock: 1 to 64 letters, digits, _, - or ., not starting with .
                    worker: {stream: a.b}                        | worker.stream: must be the name of a stream: no spaces, and none of . * > / \\
                    worker: {consumer_prefix: a.b}               | worker.consumer_prefix: must be 1 to 64 letters, digits, _ or -, because NATS names consumers and subjects after it
                    worker: {batch: 501}                         | worker.batch: must be between 1 and max_ack_pending (500), is 501
                    worker: {batch_bytes: 2GiB}                  | worker.batch_bytes: must be more than 0 and at most 1GiB
                    worker: {ack_wait: 500ms}                    | worker.ack_wait: must be at least 1s, or ordinary pauses bring messages again
                    worker: {backoff: []}                        | worker.backoff: must name at least one pause, as in [2s, 5s, 15s]
                    worker: {inactive_threshold: 20s}            | worker.inactive_threshold: 20s must be longer than cluster.lease_ttl (10s) and a handoff (10s) together, or the server deletes consumers of workers that live
                    worker: {partitions: {subjects: ['a.*']}}    | worker.partitions.subjects: must be subjects without wildcards; for a set that grows, set pattern
                    worker: {partitions: {subjects: [a, a]}}     | worker.partitions.subjects: must not name a subject twice: two partitions would share its messages
                    worker: {partitions: {pattern: dc.tool}}     | worker.partitions.pattern: must be a subject with {name} for each token that varies, as in dc.{tool}.{chamber}.completion
                    worker: {partitions: {subjects: [a], pattern: 'a.{b}'}} | worker.partitions.subjects: cannot be combined: keep one of subjects, pattern and hashed
                    worker: {handler: {type: http}}              | worker.handler.url: must be set for this type: where the receiver is
                    worker: {handler: {type: http, url: 'http://u:p@a/b'}} | worker.handler.url: must be a URL of a server, as in https://10.0.0.5/orders; write a login into token, not into the URL
                    worker: {handler: {type: grpc, url: 'http://a/b'}} | worker.handler.url: must name a host and a port for type: grpc, as in http://10.0.0.5:50060, or https:// for TLS
                    worker: {handler: {type: nats, subject: '{subject}'}} | worker.handler.subject: must be a subject, without wildcards, that begins with a token of its own, as in out.{partition}; {partition} and {subject} are the only names
                    worker: {handler: {type: nats, subject: 'a.{x}'}} | worker.handler.subject: must be a subject, without wildcards, that begins with a token of its own, as in out.{partition}; {partition} and {subject} are the only names
                    cluster: {node_id: ' '}                      | cluster.node_id: must be a name: not blank, and not a #{...} expression, which nobody evaluates here
                    """)
    void valuesThatCannotWorkAreRefused(String text, String problem) {
        assertThat(problems(text)).containsExactly("1 " + problem);
    }

    /** Issue 12, row 28: a key that would do nothing is refused with its reason, whatever its value. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    worker: {fetch_batch: 10}                                         | worker.fetch_batch: is refused: its name is batch now
                    worker: {max_attempts: 5}                                         | worker.max_attempts: is refused: its name is attempts now
                    worker: {updateInterval: 2s}                                      | worker.update_interval: is refused: its name is min_update_interval now
                    worker: {max_deliver: 5}                                          | worker.max_deliver: is refused: the server's MaxDeliver stays unlimited, because past it the server drops the message; set attempts
                    outbox: {task: {scheduler: {heartbeat: {lockAtLeastFor: PT29S}}}} | outbox.task.scheduler.heartbeat.lock_at_least_for: is refused: a heartbeat extends its lock and never gives it back; remove it
                    shedlock: {defaults: {lock-at-least-for: 0s}}                     | shedlock.defaults.lock_at_least_for: is refused: a relay holds its locks across batches, so a shortest time would only delay a handover; remove it
                    """)
    void keysThatWouldDoNothingAreRefused(String text, String problem) {
        assertThat(problems(text)).containsExactly("1 " + problem);
    }

    @Test
    void aBackendsNameFollowsTheOneRuleThereIs() {
        var backend = "storage: {backends: [{name: '%s', connection: 'mongodb://127.0.0.1', database: d}]}";
        assertThat(ConfigFile.parse(backend.formatted("x".repeat(64)), Map.of()))
                .isInstanceOf(Reading.Accepted.class);
        for (var name : List.of("x".repeat(65), ".x", "-x", "a b")) {
            assertThat(BackendName.isValid(name)).isFalse();
            assertThat(problems(backend.formatted(name)))
                    .singleElement()
                    .asString()
                    .startsWith("1 storage.backends[0].name: must be 1 to 64 letters");
        }
    }

    /** Draft 004 §7.1, to the letter. */
    private static final String DRAFT = """
            outbox:
              node:
                id: ${HOSTNAME:#{T(java.util.UUID).randomUUID().toString()}}
              total:
                partitions: 6
              task:
                scheduler:
                  publish:
                    fixedRate: 10000        # 10 seconds
                    initialDelay: 10000
                  heartbeat:
                    fixedRate: 30000        # 30 seconds
                    lockAtLeastFor: PT29S

            shedlock:
              defaults:
                lock-at-most-for: PT5M
                lock-at-least-for: PT30S
            """;

    /** Without the two keys that would do nothing. */
    private static final String DRAFT_THAT_ACTS = DRAFT.replaceFirst("        lockAtLeastFor: PT29S\n", "")
            .replaceFirst("    lock-at-least-for: PT30S\n", "");

    @Test
    void theDraftsOwnOutboxPropertiesAreAcceptedButForTwoThatWouldDoNothing() {
        assertThat(problems(DRAFT))
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith("13 outbox.task.scheduler.heartbeat.lock_at_least_for: is refused"),
                        line -> assertThat(line).startsWith("18 shedlock.defaults.lock_at_least_for: is refused"));
        assertThat(warnings(DRAFT_THAT_ACTS))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("3 outbox.node.id: is a Spring expression"),
                        line -> assertThat(line)
                                .startsWith("12 outbox.task.scheduler.heartbeat.fixed_rate: makes a node count as dead"
                                        + " only after 2m"),
                        line -> assertThat(line).startsWith("16 shedlock.defaults.lock_at_most_for: is longer than"));
        assertThat(accepted(DRAFT_THAT_ACTS, Map.of()).lockAtMostFor()).hasMinutes(5);
        var outbox = accepted(DRAFT_THAT_ACTS, Map.of()).outbox();
        assertThat(outbox.node().id()).as("not the expression itself").isEmpty();
        assertThat(outbox.heartbeat()).hasSeconds(30);
        assertThat(outbox.nodeTimeout()).hasMinutes(2);
        assertThat(outbox.task().scheduler().publish().fixedRate()).hasSeconds(10);
    }

    @Test
    void theDraftsNodeIsNamedAfterItsHost() {
        assertThat(accepted(DRAFT_THAT_ACTS, Map.of("HOSTNAME", "host-1"))
                        .outbox()
                        .node()
                        .id())
                .contains("host-1");
        assertThat(accepted(DRAFT_THAT_ACTS, Map.of("HOSTNAME", "host-1", "OUTBOX_NODE_ID", "mine"))
                        .outbox()
                        .node()
                        .id())
                .contains("mine");
        assertThat(accepted("outbox: {node: {id: '#{x}'}}", Map.of("HOSTNAME", "host-1"))
                        .outbox()
                        .node()
                        .id())
                .contains("host-1");
    }

    @Test
    void aSlowerHeartbeatAloneMakesTheTimeoutLongerAndTheProfilesOwnDoesNot() {
        assertThat(accepted("outbox: {task: {scheduler: {heartbeat: {fixed_rate: 20s}}}}", Map.of())
                        .outbox()
                        .nodeTimeout())
                .hasSeconds(80);
        assertThat(accepted("outbox: {task: {scheduler: {heartbeat: {fixed_rate: 10s}}}}", Map.of())
                        .outbox()
                        .nodeTimeout())
                .hasSeconds(30);
    }

    @Test
    void aBlankVariableIsNotSet() {
        for (var blank : List.of("", " ")) {
            var config = accepted(
                    "outbox: {node: {id: mine}, total: {partitions: 8}}",
                    Map.of("OUTBOX_NODE_ID", blank, "OUTBOX_PARTITIONS", blank, "HOSTNAME", blank));
            assertThat(config.outbox().node().id()).contains("mine");
            assertThat(config.outbox().total().partitions()).isEqualTo(8);
            assertThat(config.cluster().nodeId()).isEmpty();
        }
    }

    @Test
    void whatAVariableCausedIsSaidOfTheVariableWithoutALineOrItsValue() {
        var text = "\n\noutbox:\n  node: {id: mine}\n  total: {partitions: 8}\n";
        assertThat(problems(text, Map.of("OUTBOX_PARTITIONS", "hunter2")))
                .containsExactly(
                        "0 outbox.total.partitions: environment variable OUTBOX_PARTITIONS is not a whole number");
        assertThat(problems(text, Map.of("OUTBOX_PARTITIONS", "5000")))
                .containsExactly("0 outbox.total.partitions: environment variable OUTBOX_PARTITIONS must be between 1"
                        + " and 1024, is 5000");
        assertThat(problems(text, Map.of("OUTBOX_NODE_ID", "#{random}")))
                .singleElement()
                .asString()
                .startsWith("0 outbox.node.id: environment variable OUTBOX_NODE_ID must be a name");
    }

    @Test
    void aVariablesValueIsTakenAsItIs() {
        var environment = Map.of("OUTBOX_NODE_ID", "a-${HOSTNAME}", "HOSTNAME", "host-1");
        assertThat(accepted("", environment).outbox().node().id()).contains("a-${HOSTNAME}");
        assertThat(accepted("outbox: {node: {id: '${A}'}}", Map.of("A", "${B}", "B", "b"))
                        .outbox()
                        .node()
                        .id())
                .contains("${B}");
    }

    @Test
    void aDatabaseThatHoldsTheMirrorIsNotWatched() {
        String watched = "storage: {backends: [{name: a, connection: 'mongodb://127.0.0.1', database: sluice}]}\n"
                + "puller: {backends: [{name: a}], checkpoint: {backend: mongodb}}\n";
        assertThat(problems(watched)).singleElement().asString().contains("storage.backends[0].database", "mirror");
        assertThat(warnings(watched.replace("backend: mongodb", "backend: local")))
                .isEmpty();
    }

    @Test
    void severalStreamsNeedAsManyIncludedCollections() {
        String streams = "storage: {backends: [{name: a, connection: 'mongodb://127.0.0.1', database: d}]}\n"
                + "puller: {backends: [{name: a, streams: 3, include_collections: [x, y, x]}]}\n";
        assertThat(problems(streams)).singleElement().asString().contains("streams", "at least 3");
        assertThat(warnings(streams.replace("y, x", "y, z"))).isEmpty();
    }

    @Test
    void anEtcdThatIsOnlyAssumedIsSaid() {
        assertThat(warnings("puller: {checkpoint: {backend: etcd}}\n"))
                .singleElement()
                .asString()
                .contains("127.0.0.1:2379");
        assertThat(warnings("reliability: {checkpoint: {backend: etcd}}\n"))
                .singleElement()
                .asString()
                .contains("reliability.checkpoint.endpoints");
        assertThat(warnings("reliability: {checkpoint: {backend: etcd, endpoints: ['http://127.0.0.1:2379']}}\n"))
                .isEmpty();
        assertThat(problems("reliability: {checkpoint: {backend: mongodb, endpoints: ['etcd:2379']}}\n"))
                .hasSize(2)
                .anyMatch(problem -> problem.contains("storage.backends names no MongoDB"))
                .anyMatch(problem -> problem.contains("is not the address of an etcd server"));
        assertThat(warnings("puller: {checkpoint: {backend: etcd}}\n"
                        + "cluster: {store: etcd, endpoints: ['http://127.0.0.1:2379']}\n"))
                .isEmpty();
    }

    /** The first of them would decide for all. */
    @Test
    void endpointsOfEtcdAreAllEncryptedOrNone() {
        var mix = "['https://u:p@127.0.0.1:2379', 'http://127.0.0.1:2380']";
        var sentence = ": mixes http:// and https://, so a password could go out in the clear; write the same for all"
                + " servers";
        assertThat(problems("cluster: {store: etcd, endpoints: " + mix + "}"))
                .containsExactly("1 cluster.endpoints" + sentence);
        assertThat(problems("puller: {checkpoint: {backend: etcd, endpoints: " + mix + "}}"))
                .containsExactly("1 puller.checkpoint.endpoints" + sentence);
        assertThat(problems("reliability: {checkpoint: {backend: etcd, endpoints: " + mix + "}}"))
                .containsExactly("1 reliability.checkpoint.endpoints" + sentence);
    }

    @Test
    void aStoreNeedsServersAndMemoryNeedsNone() {
        assertThat(problems("cluster: {store: etcd}"))
                .containsExactly("1 cluster.endpoints: must name at least one server of the store");
        assertThat(problems("cluster: {endpoints: ['http://h']}"))
                .containsExactly("1 cluster.endpoints: is of no use with store: memory; set the store, or remove it");
    }

    @Test
    void filesThatCannotBeAConfigurationAreRefusedInOneSentence() throws Exception {
        assertThat(fileProblem(folder.resolve("absent.yaml"))).startsWith("does not exist");
        assertThat(fileProblem(folder)).isEqualTo("is a directory; name the file in it");
        var large = Files.writeString(folder.resolve("large.yaml"), "#".repeat((1 << 20) + 1));
        assertThat(fileProblem(large)).startsWith("is larger than 1 MiB");
        var binary = Files.write(folder.resolve("binary.yaml"), new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});
        assertThat(fileProblem(binary)).startsWith("is not UTF-8");
        var control = Files.write(folder.resolve("control.yaml"), new byte[] {'a', 0, 'b'});
        assertThat(fileProblem(control)).startsWith("is not valid YAML");
    }

    @Test
    void portsInUseAreReportedTogetherAndFreePortsStayFree() throws Exception {
        var loopback = InetAddress.getLoopbackAddress();
        try (var first = new ServerSocket(0, 1, loopback);
                var second = new ServerSocket(0, 1, loopback)) {
            var listeners = List.of(
                    new Listener("a.port", ListenAddress.loopback(first.getLocalPort())),
                    new Listener("free.port", ListenAddress.loopback(0)),
                    new Listener("b.port", ListenAddress.loopback(second.getLocalPort())));
            var security = SluiceConfig.defaults().security();
            assertThat(PortCheck.problems(listeners, security))
                    .extracting(Problem::key)
                    .containsExactly("a.port", "b.port");
            first.close();
            second.close();
            assertThat(PortCheck.problems(listeners, security)).isEmpty();
            assertThat(PortCheck.problems(listeners, security)).isEmpty();
        }
    }

    /** Row 39: without pre-images nobody can ask a filter of a delete. */
    @Test
    void deletesWithoutPreImagesAreAWarningWhereSubscriptionsAreRouted() {
        var watched = """
                storage: {backends: [{name: a, connection: "mongodb://127.0.0.1", database: shop}]}
                puller:
                  backends: [{name: a}]
                """;
        assertThat(warnings(watched)).isEmpty();
        assertThat(warnings(watched + "routing: {num_partitions: 4}\n"))
                .singleElement()
                .asString()
                .startsWith("3 puller.backends[0].images: is none")
                .contains("when_available");
        assertThat(warnings(
                        watched.replace("name: a}", "name: a, images: required}") + "routing: {num_partitions: 4}\n"))
                .isEmpty();
    }

    @Test
    void whereTheStreamerKeepsItsOwnFollowsTheEventLog() {
        assertThat(accepted("puller: {buffer: {path: data/events}}", Map.of()).streamerDirectory())
                .isEqualTo(Path.of("data/streamer"));
        assertThat(accepted("routing: {path: other}", Map.of()).streamerDirectory())
                .isEqualTo(Path.of("other"));
        assertThat(problems("routing: {pullers: ['http://127.0.0.1:50051']}"))
                .singleElement()
                .asString()
                .contains("routing.pullers", "10.0.0.1:50051");
    }

    private static String fileProblem(Path file) {
        return ((Reading.Refused) ConfigFile.read(file, Map.of()))
                .problems()
                .getFirst()
                .message();
    }

    private static List<String> problems(String text) {
        return problems(text, Map.of());
    }

    private static List<String> problems(String text, Map<String, String> environment) {
        var reading = ConfigFile.parse(text, environment);
        assertThat(reading).isInstanceOf(Reading.Refused.class);
        return lines(((Reading.Refused) reading).problems());
    }

    private static List<String> warnings(String text) {
        var reading = ConfigFile.parse(text, Map.of());
        assertThat(reading).isInstanceOf(Reading.Accepted.class);
        return lines(((Reading.Accepted) reading).warnings());
    }

    private static SluiceConfig accepted(String text, Map<String, String> environment) {
        var reading = ConfigFile.parse(text, environment);
        assertThat(reading).isInstanceOf(Reading.Accepted.class);
        return ((Reading.Accepted) reading).config();
    }

    private static List<String> lines(List<Problem> problems) {
        return problems.stream()
                .map(problem -> problem.line() + " " + problem.key() + ": " + problem.message())
                .toList();
    }
}
