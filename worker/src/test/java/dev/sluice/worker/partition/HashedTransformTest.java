package dev.sluice.worker.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.InvalidInputException;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.stream.StreamState.Retention;
import dev.sluice.worker.stream.StreamState.Transform;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a stream must have for its partitions, and what is said when it has not. */
final class HashedTransformTest {
    private static final HashedSubjects HASHED = new HashedSubjects("orders", 64);
    private final FixedStream stream = new FixedStream();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "orders.64.{{partition(64,1)}}.{{wildcard(1)}}",
                "orders.64.{{ Partition( 64, 1, 2 ) }}.>",
                "orders.64.{{partition(64)}}.$1"
            })
    void aTransformWithTheNumberIsTaken(String destination) {
        stream.transforming("orders.*", destination);
        assertThat(HashedTransform.missing(stream.state(), HASHED)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "orders.64.{{partition(32,1)}}.{{wildcard(1)}}",
                "orders.32.{{partition(32,1)}}.{{wildcard(1)}}",
                "orders.64.{{wildcard(1)}}.{{partition(64,1)}}",
                "orders.64.{{partition(64,1)}}",
                "other.64.{{partition(64,1)}}.{{wildcard(1)}}"
            })
    void anotherTransformIsNot(String destination) {
        stream.transforming("orders.*", destination);
        assertThat(HashedTransform.missing(stream.state(), HASHED)).isPresent();
    }

    @Test
    void theMissingLineIsPrinted() {
        assertThat(HashedTransform.missing(stream.state(), HASHED).orElseThrow())
                .contains("has no subject transform")
                .contains("nats stream edit ORDERS --transform-source 'orders.*' --transform-destination"
                        + " 'orders.64.{{partition(64,1)}}.{{wildcard(1)}}'")
                .contains("\"subject_transform\": {\"src\": \"orders.*\"");
    }

    @Test
    void theLineForAResizeKeepsTheSourceAndTheTokens() {
        stream.transforming("in.*.*", "orders.8.{{partition(8,1,2)}}.{{wildcard(1)}}.{{wildcard(2)}}");
        assertThat(HashedTransform.missing(stream.state(), HASHED).orElseThrow())
                .contains("--transform-source 'in.*.*'")
                .contains("'orders.64.{{partition(64,1,2)}}.{{wildcard(1)}}.{{wildcard(2)}}'");
    }

    @Test
    void aPatternOnAnInterestStreamIsRefused() {
        stream.retention = Retention.INTEREST;
        assertThatThrownBy(
                        () -> StreamFit.of(stream.state(), Partitions.pattern("dc.{tool}"), 0, ConsumerMode.PER_WORKER)
                                .orRefuse())
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("interest");
        StreamFit list = StreamFit.of(stream.state(), Partitions.list(List.of("a")), 1, ConsumerMode.PER_WORKER);
        assertThat(list.orRefuse().warnings()).isEmpty();
    }

    @Test
    void tooFewConsumersForOnePerPartitionAreRefused() {
        stream.maxConsumers = 10;
        Partitions list = Partitions.list(List.of("a"));
        assertThat(StreamFit.of(stream.state(), list, 11, ConsumerMode.PER_PARTITION)
                        .refusals())
                .hasSize(1);
        assertThat(StreamFit.of(stream.state(), list, 6, ConsumerMode.PER_PARTITION)
                        .warnings())
                .hasSize(1);
        assertThat(StreamFit.of(stream.state(), list, 5, ConsumerMode.PER_PARTITION)
                        .warnings())
                .isEmpty();
        assertThat(StreamFit.of(stream.state(), list, 11, ConsumerMode.PER_WORKER)
                        .refusals())
                .isEmpty();
        stream.maxConsumers = -1;
        StreamFit unlimited = StreamFit.of(stream.state(), list, 2_000, ConsumerMode.PER_PARTITION);
        assertThat(unlimited.refusals()).isEmpty();
        assertThat(unlimited.warnings()).hasSize(1);
    }

    @Test
    void theOriginalSubjectIsFoundThroughTheTransform() {
        List<Transform> transforms =
                List.of(new Transform("in.*.*", "orders.64.{{partition(64,1,2)}}.{{wildcard(2)}}.{{wildcard(1)}}"));
        assertThat(OriginalSubject.of(transforms, "orders.64.9.b.a")).isEqualTo("in.a.b");
        assertThat(OriginalSubject.of(transforms, "orders.8.1.b.a"))
                .as("before a resize")
                .isEqualTo("in.a.b");
        assertThat(OriginalSubject.of(transforms, "orders.64.x.b.a")).isEqualTo("orders.64.x.b.a");
        assertThat(OriginalSubject.of(transforms, "plain")).isEqualTo("plain");
        assertThat(OriginalSubject.of(List.of(new Transform("in.>", "out.>")), "out.a.b"))
                .isEqualTo("in.a.b");
        assertThat(OriginalSubject.of(List.of(new Transform("in.*", "out.$1")), "out.a"))
                .isEqualTo("in.a");
        assertThatThrownBy(() ->
                        OriginalSubject.of(List.of(new Transform("in.*.*", "orders.{{wildcard(1)}}")), "orders.a"))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("drops a part");
    }
}
