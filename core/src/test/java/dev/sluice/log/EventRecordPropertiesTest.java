package dev.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Operation;
import dev.sluice.model.Partitioner;
import dev.sluice.model.RawBson;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.bson.BsonDocument;
import org.bson.BsonString;

class EventRecordPropertiesTest {
    @Property
    void anyEventRoundTrips(@ForAll("events") ChangeEvent event) {
        EventRecord record = EventRecord.of(event);
        assertThat(record.toChangeEvent(event.backend())).isEqualTo(event);
        assertThat(EventRecord.parse(record.array()).toChangeEvent(event.backend()))
                .isEqualTo(event);
    }

    @Property
    void aPreImageIsCarriedAndCanBeLeftOut(@ForAll("events") ChangeEvent event, @ForAll("documents") RawBson before) {
        EventRecord plain = EventRecord.of(event);
        EventRecord record =
                new EventRecordEncoder().event(event).before(before).encode();
        assertThat(EventRecord.parse(record.array()).before()).isEqualTo(before);
        assertThat(record.toChangeEvent(event.backend())).isEqualTo(event);
        assertThat(record.withoutBefore().array()).isEqualTo(plain.array());
        assertThat(plain.before()).isNull();
        assertThat(plain.withoutBefore()).isSameAs(plain);
    }

    @Property
    void theHashForPartitionsIsThatOfThePartitioner(@ForAll("events") ChangeEvent event) {
        int partition = (int) Long.remainderUnsigned(EventRecord.of(event).partitionHash(), 97);
        assertThat(partition).isEqualTo(event.partition(new Partitioner(97)));
    }

    @Property(tries = 4_000)
    void damagedRecordsAreReadOrRefused(
            @ForAll("events") ChangeEvent event,
            @ForAll("fractions") double where,
            @ForAll byte put,
            @ForAll("fractions") double length) {
        byte[] bytes = EventRecord.of(event).array();
        bytes[(int) (where * bytes.length)] = put;
        readOrRefused(bytes);
        readOrRefused(Arrays.copyOf(bytes, (int) (length * bytes.length)));
    }

    @Property
    void anyBytesAreReadOrRefused(@ForAll byte[] junk) {
        readOrRefused(junk);
        byte[] withHeader = new byte[EventRecord.HEADER + junk.length];
        withHeader[0] = EventRecord.FORMAT;
        System.arraycopy(junk, 0, withHeader, EventRecord.HEADER, junk.length);
        readOrRefused(withHeader);
    }

    private static void readOrRefused(byte[] bytes) {
        try {
            assertThat(EventRecord.parse(bytes).toChangeEvent("main")).isNotNull();
        } catch (InvalidInputException refused) {
            assertThat(refused.getMessage()).isNotBlank();
        }
    }

    @Property
    void keyOrderIsStreamOrder(
            @ForAll long time1,
            @ForAll("ordinals") int ordinal1,
            @ForAll long time2,
            @ForAll("ordinals") int ordinal2) {
        inOrder(new LogPosition(new ClusterTime(time1), ordinal1), new LogPosition(new ClusterTime(time2), ordinal2));
        inOrder(new LogPosition(new ClusterTime(time1), ordinal1), new LogPosition(new ClusterTime(time1), ordinal2));
    }

    private static void inOrder(LogPosition a, LogPosition b) {
        assertThat(Integer.signum(Arrays.compareUnsigned(a.toKey(), b.toKey())))
                .isEqualTo(Integer.signum(a.compareTo(b)));
        assertThat(LogPosition.ofKey(a.toKey())).isEqualTo(a);
    }

    @Provide
    Arbitrary<Double> fractions() {
        return Arbitraries.doubles().between(0, true, 1, false);
    }

    @Provide
    Arbitrary<Integer> ordinals() {
        return Arbitraries.integers().between(0, Integer.MAX_VALUE);
    }

    private static Arbitrary<String> texts() {
        return Arbitraries.oneOf(
                        Arbitraries.strings().alpha().ofMaxLength(200),
                        Arbitraries.strings().all().ofMaxLength(30))
                .filter(text -> StandardCharsets.UTF_8.newEncoder().canEncode(text));
    }

    @Provide
    Arbitrary<RawBson> documents() {
        return texts().map(text -> RawBson.of(new BsonDocument("x", new BsonString(text))));
    }

    @Provide
    Arbitrary<ChangeEvent> events() {
        Arbitrary<String> texts = texts();
        Arbitrary<EventId> ids = Combinators.combine(Arbitraries.longs(), Arbitraries.longs())
                .as((time, hash) -> new EventId(new ClusterTime(time), hash));
        Arbitrary<RawBson> documents = documents();
        Arbitrary<DocumentId> documentIds = Combinators.combine(
                        Arbitraries.of(DocumentId.Kind.STRING, DocumentId.Kind.OBJECT_ID, DocumentId.Kind.OTHER), texts)
                .as(DocumentId::new);
        Arbitrary<OptionalLong> numbers =
                Arbitraries.longs().injectNull(0.5).map(n -> n == null ? OptionalLong.empty() : OptionalLong.of(n));
        return Combinators.combine(
                        ids,
                        Arbitraries.of(Operation.class),
                        texts,
                        texts.map(text -> text + "c"),
                        documentIds,
                        documents.injectNull(0.3),
                        documents.injectNull(0.7),
                        Combinators.combine(Arbitraries.longs(), numbers, Arbitraries.of(true, false))
                                .as(Rest::new))
                .as((id, operation, tenant, collection, documentId, document, update, rest) -> new ChangeEvent(
                        id,
                        "main",
                        operation,
                        tenant,
                        collection,
                        documentId,
                        document,
                        update,
                        rest.timestamp,
                        rest.txn,
                        rest.lookup));
    }

    private record Rest(long timestamp, OptionalLong txn, boolean lookup) {}
}
