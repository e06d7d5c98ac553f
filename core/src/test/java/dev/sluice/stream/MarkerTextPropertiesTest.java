package dev.sluice.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.log.EventRecord;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.ProgressMarker;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

class MarkerTextPropertiesTest {
    private static final List<String> BACKENDS = List.of("a", "main_mongo", "z.1");

    @Property(tries = 300)
    void theTextKeptInPlaceIsAlwaysThatOfTheMarker(
            @ForAll("moves") List<Tuple.Tuple3<Integer, EventId, Boolean>> moves) {
        EventId start = new EventId(ClusterTime.ZERO, 0);
        MarkerText text = new MarkerText(BACKENDS, List.of(start, start, start));
        TreeMap<String, EventId> positions = new TreeMap<>();
        BACKENDS.forEach(backend -> positions.put(backend, start));
        for (Tuple.Tuple3<Integer, EventId, Boolean> move : moves) {
            positions.put(BACKENDS.get(move.get1()), move.get2());
            if (move.get3()) {
                text.move(move.get1(), move.get2());
            } else {
                text.move(move.get1(), record(move.get2()));
            }
            assertThat(text.toString()).isEqualTo(new ProgressMarker(positions).encode());
            assertThat(copy(text)).isEqualTo(text.toString());
        }
    }

    private static String copy(MarkerText text) {
        byte[] to = new byte[text.length() + 3];
        int end = text.copyTo(to, 3);
        return new String(to, 3, end - 3, java.nio.charset.StandardCharsets.US_ASCII);
    }

    private static EventRecord record(EventId id) {
        return EventRecord.of(new ChangeEvent(
                id, "a", Operation.RESYNC, "", "", DocumentId.NONE, null, null, 0, OptionalLong.empty(), false));
    }

    @Provide
    Arbitrary<List<Tuple.Tuple3<Integer, EventId, Boolean>>> moves() {
        Arbitrary<Long> unsigned = Arbitraries.longs().between(0, 0xFFFF_FFFFL);
        Arbitrary<EventId> ids = Combinators.combine(unsigned, unsigned, Arbitraries.longs())
                .as((t, i, hash) -> new EventId(ClusterTime.of(t, i), hash));
        return Combinators.combine(Arbitraries.integers().between(0, 2), ids, Arbitraries.of(true, false))
                .as(Tuple::of)
                .list()
                .ofMaxSize(12)
                .map(ArrayList::new);
    }
}
