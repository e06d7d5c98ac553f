package dev.sluice.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.function.Function;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever a stranger sends is either understood or refused with a reason; nothing else is ever thrown. */
class HostileTextPropertiesTest {
    @Property
    void anyIdRoundTrips(@ForAll long time, @ForAll long hash) {
        EventId id = new EventId(new ClusterTime(time), hash);
        assertThat(EventId.parse(id.toString())).isEqualTo(id);
    }

    @Property
    void anyMarkerRoundTrips(@ForAll("markers") ProgressMarker marker) {
        assertThat(ProgressMarker.decode(marker.encode())).isEqualTo(marker);
    }

    @Property
    void clusterTimeOrderIsUnsignedOrderOfItsParts(@ForAll long a, @ForAll long b) {
        ClusterTime x = new ClusterTime(a);
        ClusterTime y = new ClusterTime(b);
        int byParts = x.t() != y.t() ? Long.compare(x.t(), y.t()) : Long.compare(x.i(), y.i());
        assertThat(Integer.signum(x.compareTo(y))).isEqualTo(byParts);
    }

    @Property(tries = 5000)
    void damagedIdsAreReadOrRefused(@ForAll("damagedIds") String text) {
        readOrRefused(text, EventId::parse, EventId::toString);
    }

    @Property(tries = 5000)
    void damagedMarkersAreReadOrRefused(@ForAll("damagedMarkers") String text) {
        readOrRefused(text, ProgressMarker::decode, marker -> null);
    }

    @Property
    void anyTextIsReadOrRefused(@ForAll String text) {
        readOrRefused(text, EventId::parse, EventId::toString);
        readOrRefused(text, ProgressMarker::decode, marker -> null);
    }

    private static <T> void readOrRefused(String text, Function<String, T> read, Function<T, String> write) {
        try {
            String again = write.apply(read.apply(text));
            assertThat(again == null || again.equals(text)).isTrue();
        } catch (InvalidInputException refused) {
            assertThat(refused.getMessage()).isNotBlank();
        }
    }

    @Provide
    Arbitrary<ProgressMarker> markers() {
        Arbitrary<String> names = Arbitraries.strings()
                .withCharRange('a', 'z')
                .withChars("_.-09")
                .ofMaxLength(20)
                .map(rest -> "b" + rest);
        Arbitrary<EventId> ids = Combinators.combine(Arbitraries.longs(), Arbitraries.longs())
                .as((time, hash) -> new EventId(new ClusterTime(time), hash));
        return Arbitraries.maps(names, ids).ofMaxSize(5).map(map -> new ProgressMarker(Map.copyOf(map)));
    }

    @Provide
    Arbitrary<String> damagedIds() {
        return damaged(Arbitraries.just("1735567890-1-00000000000000a1"));
    }

    @Provide
    Arbitrary<String> damagedMarkers() {
        Arbitrary<String> json = markers()
                .map(marker -> new String(Base64.getUrlDecoder().decode(marker.encode()), StandardCharsets.UTF_8));
        Arbitrary<String> insideOut = damaged(json)
                .map(text ->
                        Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8)));
        return Arbitraries.oneOf(insideOut, damaged(markers().map(ProgressMarker::encode)));
    }

    /** One stretch of the text is cut out and something else put there. */
    private static Arbitrary<String> damaged(Arbitrary<String> texts) {
        Arbitrary<String> junk =
                Arbitraries.strings().withChars("{}[]\":,-\\ 019afpZ\u0000é").ofMaxLength(4);
        return Combinators.combine(
                        texts,
                        Arbitraries.doubles().between(0, 1),
                        Arbitraries.integers().between(0, 8),
                        junk)
                .as((text, where, cut, put) -> {
                    int from = (int) (where * text.length());
                    return text.substring(0, from) + put + text.substring(Math.min(text.length(), from + cut));
                });
    }
}
