package dev.sluice.worker.deadletter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.InvalidInputException;
import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.SubjectTransform;
import io.nats.client.impl.Headers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Dead letters in real streams, also where the server or the stream limits them. */
class JetStreamDeadLettersTest extends DeadLettersContract {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final String GROUP = "orders";
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final String number = Integer.toString(NUMBERS.incrementAndGet());
    private final String dlq = "DLQ-" + getClass().getSimpleName() + number;

    private @Nullable Connection connection;
    private @Nullable JetStreamDeadLetters letters;

    NatsLine line() {
        return NatsLine.NEWEST;
    }

    @BeforeEach
    void connect() throws Exception {
        connection = Nats.connect(NatsServer.shared(line()).url());
        management().addStream(source().build());
        management().addStream(ours().maxMessages(ROOM).build());
    }

    @AfterEach
    void leave() throws Exception {
        for (String name : List.of("SOURCE", dlq)) {
            if (management().getStreamNames().contains(name)) {
                management().deleteStream(name);
            }
        }
        connection().close();
    }

    private Connection connection() {
        return Objects.requireNonNull(connection);
    }

    private JetStreamManagement management() throws Exception {
        return connection().jetStreamManagement();
    }

    private static StreamConfiguration.Builder source() {
        return StreamConfiguration.builder().name("SOURCE").subjects("source.>").storageType(StorageType.Memory);
    }

    private StreamConfiguration.Builder ours() {
        return StreamConfiguration.builder()
                .name(dlq)
                .subjects(dlq + ".>")
                .discardPolicy(DiscardPolicy.New)
                .storageType(StorageType.Memory);
    }

    @Override
    JetStreamDeadLetters letters() {
        if (letters == null) {
            letters = new JetStreamDeadLetters(connection(), DeadLetterStream.of(dlq), GROUP, TIMEOUT);
        }
        return letters;
    }

    @Override
    List<String> published() throws Exception {
        List<String> bodies = new ArrayList<>();
        long last = management().getStreamInfo("SOURCE").getStreamState().getLastSequence();
        for (long sequence = 1; sequence <= last; sequence++) {
            bodies.add(new String(management().getMessage("SOURCE", sequence).getData(), UTF_8));
        }
        return bodies;
    }

    private void replaceStream(StreamConfiguration configuration) throws Exception {
        management().deleteStream(configuration.getName());
        management().addStream(configuration);
    }

    @Test
    void aMissingStreamIsMadeSoThatItLosesNothing() throws Exception {
        management().deleteStream(dlq);
        DeadLetterStream limited = new DeadLetterStream(dlq, 1_000_000, 1);
        JetStreamDeadLetters made = new JetStreamDeadLetters(connection(), limited, GROUP, TIMEOUT);
        assertThat(made.ensure()).isEmpty();
        assertThat(made.ensure()).isEmpty();

        StreamConfiguration configuration = management().getStreamInfo(dlq).getConfiguration();
        assertThat(configuration.getDiscardPolicy()).isEqualTo(DiscardPolicy.New);
        assertThat(configuration.getRetentionPolicy()).isEqualTo(RetentionPolicy.Limits);
        assertThat(configuration.getStorageType()).isEqualTo(StorageType.File);
        assertThat(configuration.getMaxBytes()).isEqualTo(1_000_000);
        assertThat(configuration.getMaxAge()).isZero();
        assertThat(made.put(Letters.of(1))).isEqualTo(PutOutcome.STORED);
        assertThat(made.put(Letters.of(1))).isEqualTo(PutOutcome.ALREADY_THERE);
    }

    @Test
    void aStreamThatWouldLoseLettersIsRefused() throws Exception {
        replaceStream(ours().discardPolicy(DiscardPolicy.Old)
                .subjects(dlq + ".other.>")
                .retentionPolicy(RetentionPolicy.Interest)
                .build());
        assertThatThrownBy(letters()::ensure)
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("--discard new")
                .hasMessageContaining(dlq + ".orders.>")
                .hasMessageContaining("retention");
    }

    @Test
    void aStreamThatForgetsLettersIsWarnedOf() throws Exception {
        replaceStream(ours().maxAge(Duration.ofHours(1)).denyDelete(true).build());
        assertThat(letters().ensure())
                .hasSize(3)
                .anyMatch(warning -> warning.contains("max_age"))
                .anyMatch(warning -> warning.contains("memory"))
                .anyMatch(warning -> warning.contains("denies deletion"));
    }

    @Test
    void withoutAStreamOrAConnectionALetterIsNotKept() throws Exception {
        JetStreamDeadLetters impatient =
                new JetStreamDeadLetters(connection(), DeadLetterStream.of(dlq), GROUP, Duration.ofMillis(500));
        management().deleteStream(dlq);
        assertThat(impatient.put(Letters.of(1)))
                .isInstanceOfSatisfying(
                        PutOutcome.Unavailable.class,
                        unavailable -> assertThat(unavailable.reason()).contains("no stream takes the subject " + dlq));
        Connection closed = Nats.connect(NatsServer.shared(line()).url());
        closed.close();
        DeadLetters away = new JetStreamDeadLetters(closed, DeadLetterStream.of(dlq), GROUP, TIMEOUT);
        assertThat(away.put(Letters.of(1))).isInstanceOf(PutOutcome.Unavailable.class);
        assertThat(away.retry(Letters.of(1).id())).isInstanceOf(RetryOutcome.Failed.class);
    }

    @Test
    void headersThatActOnJetStreamAreKeptWithoutActing() throws Exception {
        Map<String, List<String>> headers = Map.of(
                "Nats-Rollup", List.of("all"),
                "Nats-Msg-Id", List.of("m1"),
                "Nats-Expected-Last-Sequence", List.of("77"),
                "Sluice-Reason", List.of("of the application"),
                "Plain", List.of("as it is"));
        letters().put(Letters.of(1));
        DeadLetter letter = Letters.with("SOURCE", "source.eu", 2, headers, new byte[0]);
        assertThat(letters().put(letter)).isEqualTo(PutOutcome.STORED);
        assertThat(letters().show(letter.id()).orElseThrow().letter().headers()).isEqualTo(headers);
        assertThat(letters().list(0, 10).letters()).hasSize(2);

        assertThat(letters().retry(letter.id())).isInstanceOf(RetryOutcome.Retried.class);
        Headers sent = management().getMessage("SOURCE", 1).getHeaders();
        assertThat(sent.keySet()).containsExactlyInAnyOrder("Plain", "Nats-Msg-Id", "Nats-Expected-Stream");
        assertThat(sent.getFirst("Nats-Msg-Id")).contains(letter.id().toString());
    }

    @Test
    void aRepeatedRetryPublishesOnce() throws Exception {
        DeadLetter letter = Letters.of(5);
        letters().put(letter);
        letters().retry(letter.id());
        letters().put(letter);
        assertThat(letters().retry(letter.id()))
                .isInstanceOfSatisfying(
                        RetryOutcome.Retried.class,
                        retried -> assertThat(retried.repeated()).isTrue());
        assertThat(published()).containsExactly("body 5");
        assertThat(letters().show(letter.id())).isEmpty();
    }

    @Test
    void aRetryThatNoStreamTakesKeepsTheLetter() throws Exception {
        DeadLetter elsewhere = Letters.of("SOURCE", "payments.eu", 1, "x");
        letters().put(elsewhere);
        assertThat(letters().retry(elsewhere.id())).isInstanceOf(RetryOutcome.Failed.class);
        assertThat(letters().show(elsewhere.id())).isPresent();
    }

    @Test
    void aRetryGoesThroughTheTransformAgain() throws Exception {
        SubjectTransform transform = new SubjectTransform("source.*", "source.8.{{partition(8,1)}}.{{wildcard(1)}}");
        replaceStream(source().subjects("source.*").subjectTransform(transform).build());
        connection().jetStream().publish("source.eu", "first".getBytes(UTF_8));
        MessageInfo first = management().getMessage("SOURCE", 1);
        DeadLetter letter = Letters.of("SOURCE", first.getSubject(), 1, "again");
        letters().put(letter);

        assertThat(letters().retry(letter.id())).isEqualTo(new RetryOutcome.Retried("source.eu", 2, false));
        assertThat(management().getMessage("SOURCE", 2).getSubject()).isEqualTo(first.getSubject());
    }

    @Test
    void aMessageAsLargeAsTheServerTakesIsKeptWhole() throws Exception {
        int largest = (int) connection().getMaxPayload();
        for (int spare : List.of(0, 60, 130, 600)) {
            DeadLetter letter = Letters.with("SOURCE", "source.eu", 1_000 + spare, Map.of(), new byte[largest - spare]);
            assertThat(letters().put(letter)).isEqualTo(PutOutcome.STORED);
            assertThat(letters().put(letter)).isEqualTo(PutOutcome.ALREADY_THERE);
            DeadLetter kept = letters().show(letter.id()).orElseThrow().letter();
            assertThat(kept.body()).hasSize(largest - spare);
            assertThat(kept.subject()).isEqualTo(spare >= 130 ? "source.eu" : "");
            assertThat(kept.reason()).isEqualTo(spare >= 600 ? letter.reason() : "");
            letters().delete(letter.id());
        }
    }

    @Test
    void aLongReasonIsCutBeforeAnythingElse() throws Exception {
        replaceStream(ours().maximumMessageSize(1_000).build());
        DeadLetter plain = Letters.with("SOURCE", "source.eu", 1, Map.of("Trace", List.of("t")), new byte[100]);
        DeadLetter letter = new DeadLetter(
                plain.id(),
                plain.stream(),
                plain.subject(),
                plain.partition(),
                plain.worker(),
                "x".repeat(5_000),
                plain.attempts(),
                plain.firstFailure(),
                plain.lastFailure(),
                plain.headers(),
                plain.body());
        assertThat(letters().put(letter)).isEqualTo(PutOutcome.STORED);
        DeadLetter kept = letters().show(letter.id()).orElseThrow().letter();
        assertThat(kept.reason()).isEqualTo("x".repeat(120));
        assertThat(kept.attempts()).isEqualTo(3);
        assertThat(kept.headers()).isEqualTo(plain.headers());

        DeadLetter huge = Letters.with("SOURCE", "source.eu", 2, Map.of(), new byte[2_000]);
        assertThat(letters().put(huge))
                .isInstanceOfSatisfying(
                        PutOutcome.Full.class, full -> assertThat(full.reason()).contains("max_msg_size"));
    }

    @Test
    void messagesOfOthersInTheStreamAreNoLetters() throws Exception {
        connection().jetStream().publish(dlq + "." + GROUP + ".note", new byte[0]);
        connection().jetStream().publish(dlq + ".payments." + Letters.of(1).id(), new byte[0]);
        letters().put(Letters.of(1));
        assertThat(letters().list(0, 10).letters()).hasSize(1);
    }
}
