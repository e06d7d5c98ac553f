package dev.sluice.devmongo.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.devmongo.CommandException;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

class SortOrderTest {
    @Test
    void anArraySortsByItsSmallestElementUpwardsAndByItsLargestDownwards() {
        assertThat(sorted("{a: 1}", "{a: [5, 1]}", "{a: 3}", "{a: []}", "{}"))
                .containsExactly("{a: []}", "{}", "{a: [5, 1]}", "{a: 3}");
        assertThat(sorted("{a: -1}", "{a: 3}", "{a: [5, 1]}", "{a: 6}"))
                .containsExactly("{a: 6}", "{a: [5, 1]}", "{a: 3}");
    }

    @Test
    void laterKeysDecideWhereEarlierOnesAreEqual() {
        assertThat(sorted("{'a.b': 1, c: -1}", "{a: {b: 1}, c: 1}", "{a: {b: 0}, c: 0}", "{a: [{b: 1}], c: 2}"))
                .containsExactly("{a: {b: 0}, c: 0}", "{a: [{b: 1}], c: 2}", "{a: {b: 1}, c: 1}");
    }

    @Test
    void refusesADirectionThatIsNone() {
        assertThatThrownBy(() -> SortOrder.compile(BsonDocument.parse("{a: 2}")))
                .isInstanceOfSatisfying(
                        CommandException.class, e -> assertThat(e.code()).isEqualTo(15975));
    }

    private static Stream<String> sorted(String order, String... documents) {
        SortOrder comparator = SortOrder.compile(BsonDocument.parse(order));
        return Stream.of(documents).sorted((a, b) -> comparator.compare(BsonDocument.parse(a), BsonDocument.parse(b)));
    }
}
