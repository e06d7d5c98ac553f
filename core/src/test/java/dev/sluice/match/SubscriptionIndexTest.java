package dev.sluice.match;

import static dev.sluice.match.Events.bson;
import static dev.sluice.match.Events.event;
import static dev.sluice.match.Events.insert;
import static dev.sluice.match.Events.subscription;
import static dev.sluice.match.Events.withPriority;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Operation;
import dev.sluice.model.Priority;
import dev.sluice.model.RawBson;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SubscriptionIndexTest {
    private final SubscriptionIndex index = new SubscriptionIndex();

    private List<String> matches(ChangeEvent event, @Nullable RawBson before) {
        List<String> found = new ArrayList<>();
        index.matcher()
                .match(
                        event,
                        before,
                        (subscription, kind) -> found.add(
                                kind == MatchKind.EXACT ? subscription.id() : subscription.id() + " " + kind));
        return found.stream().sorted().toList();
    }

    private List<String> matches(ChangeEvent event) {
        return matches(event, null);
    }

    @Test
    void aTenantIsSeenByItsOwnAndByThoseWithoutOne() {
        index.add(subscription("all", "g", "", "orders", null, "{}", false));
        index.add(subscription("acme", "g", "acme", "orders", null, "{}", false));
        index.add(subscription("umbrella", "g", "umbrella", "orders", null, "{}", false));
        assertThat(matches(event(Operation.INSERT, "acme", "orders", "1", bson("{}"))))
                .containsExactly("acme", "all");
        assertThat(matches(event(Operation.INSERT, "", "orders", "1", bson("{}"))))
                .containsExactly("all");
        assertThat(matches(event(Operation.INSERT, "acme", "users", "1", bson("{}"))))
                .isEmpty();
    }

    @Test
    void aDeleteWithItsLastStateIsMatchedExactly() {
        index.add(subscription("open", "{status:'open'}"));
        index.add(subscription("closed", "{status:'closed'}"));
        ChangeEvent delete = event(Operation.DELETE, "", "orders", "1", null);
        assertThat(matches(delete, bson("{status:'open'}"))).containsExactly("open");
    }

    @Test
    void aDeleteOfUnknownStateIsToldOncePerGatewayAndTenant() {
        for (int k = 0; k < 50; k++) {
            index.add(subscription("g1-" + k, "g1", "acme", "orders", null, "{a:" + k + "}", false));
            index.add(subscription("g2-" + k, "g2", "acme", "orders", null, "{a:" + k + "}", false));
            index.add(subscription("any-" + k, "g2", "", "orders", null, "{a:" + k + "}", false));
            index.add(subscription("other-" + k, "g3", "umbrella", "orders", null, "{a:" + k + "}", false));
            index.add(subscription("elsewhere-" + k, "g4", "acme", "users", null, "{a:" + k + "}", false));
        }
        index.add(subscription("everything", "g1", "acme", "orders", null, "{}", false));
        index.add(subscription("this", "g1", "acme", "orders", "1", "{a:5}", false));
        index.add(subscription("that", "g1", "acme", "orders", "2", "{a:5}", false));
        List<String> found = matches(event(Operation.DELETE, "acme", "orders", "1", null));
        assertThat(found).hasSize(5).contains("everything", "this");
        assertThat(found)
                .filteredOn(id -> id.endsWith("UNKNOWN"))
                .satisfiesExactlyInAnyOrder(
                        id -> assertThat(id).startsWith("g1-"),
                        id -> assertThat(id).startsWith("g2-"),
                        id -> assertThat(id).startsWith("any-"));
        assertThat(matches(event(Operation.DELETE, "", "orders", "1", null)))
                .singleElement()
                .asString()
                .startsWith("any-")
                .endsWith("UNKNOWN");
    }

    /** Classes fall behind one without the other: one that stood for all would come out of order. */
    @Test
    void aDeleteOfUnknownStateIsToldOncePerPriority() {
        for (int k = 0; k < 9; k++) {
            Subscription normal = subscription("normal-" + k, "{a:" + k + "}");
            index.add(normal);
            index.add(withPriority(subscription("high-" + k, "{a:" + k + "}"), Priority.HIGH));
        }
        ChangeEvent delete = event(Operation.DELETE, "", "orders", "1", null);
        assertThat(matches(delete))
                .satisfiesExactly(
                        id -> assertThat(id).startsWith("high-"),
                        id -> assertThat(id).startsWith("normal-"));
        for (int k = 0; k < 9; k++) {
            Subscription normal = subscription("normal-" + k, "{a:" + k + "}");
            index.replace(normal, withPriority(normal, Priority.HIGH));
        }
        assertThat(matches(delete)).hasSize(1);
        assertThat(index.size()).isEqualTo(18);
    }

    @Test
    void anUpdateWhoseDocumentIsGoneIsUnknownToo() {
        index.add(subscription("open", "{status:'open'}"));
        index.add(subscription("all", "{}"));
        assertThat(matches(event(Operation.UPDATE, "", "orders", "1", null))).containsExactly("all", "open UNKNOWN");
    }

    @Test
    void whoHasNoGatewayIsToldOneByOne() {
        index.add(subscription("a", "", "", "orders", null, "{x:1}", false));
        index.add(subscription("b", "", "", "orders", null, "{x:2}", false));
        assertThat(matches(event(Operation.DELETE, "", "orders", "1", null)))
                .containsExactly("a POSSIBLE", "b POSSIBLE");
    }

    @Test
    void transitionsAreToldToThoseWhoAsked() {
        index.add(subscription("asked", "g", "", "orders", null, "{status:'open'}", true));
        index.add(subscription("not", "g", "", "orders", null, "{status:'open'}", false));
        RawBson open = bson("{status:'open'}");
        RawBson closed = bson("{status:'closed'}");
        assertThat(matches(event(Operation.UPDATE, "", "orders", "1", open), closed))
                .containsExactly("asked ENTER", "not");
        assertThat(matches(event(Operation.UPDATE, "", "orders", "1", open), open))
                .containsExactly("asked", "not");
        assertThat(matches(event(Operation.REPLACE, "", "orders", "1", closed), open))
                .containsExactly("asked LEAVE");
        assertThat(matches(event(Operation.UPDATE, "", "orders", "1", open), null))
                .containsExactly("asked", "not");
    }

    @Test
    void controlEventsConcernEverybodyOfTheCollectionOrOfAll() {
        index.add(subscription("a", "g", "acme", "orders", "7", "{x:1}", false));
        index.add(subscription("b", "g", "", "users", null, "{}", false));
        assertThat(matches(event(Operation.DROP, "", "orders", "", null))).containsExactly("a CONTROL");
        assertThat(matches(event(Operation.RESYNC, "", "", "", null))).containsExactly("a CONTROL", "b CONTROL");
        assertThat(matches(event(Operation.HEARTBEAT, "", "", "", null))).isEmpty();
    }

    @Test
    void aBadFilterIsRefusedAndTheOldSubscriptionStays() {
        Subscription good = subscription("s", "{a:1}");
        index.add(good);
        assertThatThrownBy(() -> index.replace(good, subscription("s", "{a:{$where:1}}")))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("$where");
        assertThatThrownBy(() -> index.add(subscription("t", "{"))).isInstanceOf(InvalidInputException.class);
        assertThat(matches(insert("orders", "{a:1}"))).containsExactly("s");
        assertThat(index.size()).isEqualTo(1);
    }

    /** Where a path, seen from outside, does not lead to what $elemMatch sees. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{a:{$elemMatch:{'0':5}}} | {a:[[5]]}",
                "{a:{$elemMatch:{'0.b':{$gte:5,$lt:6}}}} | {a:[[{b:5}]]}",
                "{'a.0':{$elemMatch:{$eq:5}}} | {a:[[5]]}",
                "{a:{$elemMatch:{$elemMatch:{$eq:5}}}} | {a:[[5]]}",
                "{a:{$elemMatch:{$elemMatch:{b:5}}}} | {a:[[{b:5}]]}",
                "{a:{$elemMatch:{b:null}}} | {a:[[1]]}",
                "{a:{$elemMatch:{b:{$elemMatch:{$gt:4,$lt:6}}}}} | {a:[{b:[5]}]}",
            })
    void elementsOfElementsAreFound(String filter, String document) {
        index.add(subscription("s", filter));
        assertThat(matches(insert("orders", document))).containsExactly("s");
    }

    @Test
    void manySubscribersOfOneFilterAreToldAndRemovedOneByOne() {
        List<Subscription> all = new ArrayList<>();
        for (int k = 0; k < 100; k++) {
            all.add(subscription("s" + k, "{a:1}"));
            index.add(all.getLast());
        }
        for (int k = 0; k < 100; k++) {
            assertThat(matches(insert("orders", "{a:[1,1,1.0]}"))).hasSize(100 - k);
            index.remove(all.get(k));
        }
        assertThat(index.size()).isZero();
    }

    @Test
    void aDamagedDocumentIsRefused() {
        index.add(subscription("s", "{a:1}"));
        byte[] bytes = bson("{b:'xxxx',a:1}").toBytes();
        bytes[7] = 100;
        ChangeEvent event = event(Operation.INSERT, "", "orders", "1", RawBson.of(bytes));
        assertThatThrownBy(() -> matches(event))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("not BSON");
    }
}
