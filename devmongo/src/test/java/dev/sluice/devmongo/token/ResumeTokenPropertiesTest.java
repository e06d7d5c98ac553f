package dev.sluice.devmongo.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.BsonOrder;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;

/** Tokens sort as the events do, survive a round trip, and damage never gets further than a refusal. */
class ResumeTokenPropertiesTest {
    private static ResumeToken token(BsonTimestamp time, int index, BsonValue id) {
        return ResumeToken.event(time, index, null, new BsonDocument("_id", id));
    }

    @Provide
    Arbitrary<BsonValue> ids() {
        return Arbitraries.oneOf(
                Arbitraries.integers().map(BsonInt32::new),
                Arbitraries.longs().between(-(1L << 60), 1L << 60).map(BsonInt64::new),
                Arbitraries.doubles().between(-1e15, 1e15).map(BsonDouble::new),
                Arbitraries.strings().ascii().ofMaxLength(8).map(BsonString::new));
    }

    @Property(tries = 500)
    void tokensOfOneTimeSortByTheirDocuments(@ForAll("ids") BsonValue a, @ForAll("ids") BsonValue b) {
        BsonTimestamp time = new BsonTimestamp(100, 1);
        int expected = Integer.signum(BsonOrder.INSTANCE.compare(a, b));
        assertThat(Integer.signum(token(time, 0, a).compareTo(token(time, 0, b))))
                .isEqualTo(expected);
    }

    @Property(tries = 300)
    void tokensSortByTimeThenByPlaceInTheTransaction(
            @ForAll @IntRange(min = 1) int t1,
            @ForAll @IntRange(min = 1) int t2,
            @ForAll @IntRange(max = 100_000) int i1,
            @ForAll @IntRange(max = 100_000) int i2) {
        BsonTimestamp first = new BsonTimestamp(t1, 5);
        BsonTimestamp second = new BsonTimestamp(t2, 5);
        int byTime = first.compareTo(second);
        int expected = Integer.signum(byTime != 0 ? byTime : Integer.compare(i1, i2));
        BsonInt32 id = new BsonInt32(1);
        assertThat(Integer.signum(token(first, i1, id).compareTo(token(second, i2, id))))
                .isEqualTo(expected);
        assertThat(ResumeToken.highWaterMark(first)).isLessThan(token(first, i1, id));
    }

    @Property(tries = 300)
    void whatIsWrittenCanBeRead(@ForAll("ids") BsonValue id, @ForAll @IntRange(min = 1) int seconds) {
        ResumeToken token = token(new BsonTimestamp(seconds, 1), 3, id);
        assertThat(ResumeToken.parse(token.document())).isEqualTo(token);
    }

    @Property(tries = 500)
    void aDamagedTokenIsRefusedOrRead(@ForAll("ids") BsonValue id, @ForAll int at, @ForAll("hex") String noise) {
        String good = token(new BsonTimestamp(100, 1), 0, id).data();
        int cut = Math.floorMod(at, good.length());
        BsonDocument damaged = new BsonDocument("_data", new BsonString(good.substring(0, cut) + noise));
        try {
            assertThat(ResumeToken.parse(damaged).data())
                    .isEqualTo(damaged.getString("_data").getValue());
        } catch (CommandException refused) {
            assertThat(refused.code()).isIn(9, 15, 40649, 50811);
        }
    }

    @Provide
    Arbitrary<String> hex() {
        return Arbitraries.strings().withChars("0123456789ABCDEFx").ofMaxLength(6);
    }

    @Property(tries = 20)
    void aTokenWithoutDataIsRefused(@ForAll int number) {
        assertThatThrownBy(() -> ResumeToken.parse(new BsonDocument("_data", new BsonInt32(number))))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("Expected string");
    }
}
