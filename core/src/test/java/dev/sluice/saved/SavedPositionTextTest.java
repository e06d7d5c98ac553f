package dev.sluice.saved;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.lane.GroupKey;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Position;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.subscribe.Home;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Saved positions as text: what is written is read, what is too long begins earlier, and 0.1 is carried over. */
class SavedPositionTextTest {
    private static final GroupKey KEY = new GroupKey(new Home.Gateway("g"), "", Priority.NORMAL);

    private static Position at(long second) {
        return new Position(new EventId(ClusterTime.of(second, 1), 7), 1);
    }

    private static SavedPosition of(List<SavedPosition.OfGroup> groups) {
        return new SavedPosition(
                5,
                100,
                Map.of("shop", new SavedPosition.OfStream(3, at(100), ClusterTime.of(110, 0), groups)),
                List.of(new SavedPosition.Member("r", 4)));
    }

    @Test
    void whatIsWrittenIsRead() {
        SavedPosition saved = of(List.of(
                new SavedPosition.OfGroup(KEY, at(90), null),
                new SavedPosition.OfGroup(
                        GroupKey.broadcast("b"), at(80), List.of(new SavedPosition.Member("s \"1\"", 2)))));
        assertThat(SavedPositionText.parse(SavedPositionText.write(saved))).contains(saved);
    }

    @Test
    void whatIsTooLongBeginsEarlierAndForgetsNobody() {
        List<SavedPosition.OfGroup> groups = new ArrayList<>();
        for (int k = 1; k <= 100; k++) {
            groups.add(new SavedPosition.OfGroup(KEY, at(k), List.of(new SavedPosition.Member("s" + k, k))));
        }
        SavedPosition some = SavedPositionText.parse(SavedPositionText.write(of(groups), 3000))
                .orElseThrow();
        assertThat(some.revision()).as("who is left out was created later").isLessThan(100);
        assertThat(some.streams().get("shop").groups())
                .isNotEmpty()
                .allMatch(group ->
                        group.members() != null && group.members().getFirst().created() <= some.revision());
        List<SavedPosition.OfGroup> mains = new ArrayList<>();
        for (int k = 1; k <= 100; k++) {
            mains.add(
                    new SavedPosition.OfGroup(new GroupKey(new Home.Gateway("g" + k), "", Priority.LOW), at(k), null));
        }
        SavedPosition lowest = SavedPositionText.parse(SavedPositionText.write(of(mains), 1000))
                .orElseThrow();
        assertThat(lowest.streams().get("shop").tail()).isEqualTo(at(1));
        assertThat(lowest.streams().get("shop").groups()).isEmpty();
    }

    /** All are as old, so that no lower revision leaves anybody out. */
    private static SavedPosition.OfGroup side(GroupKey key, long second, String member) {
        return new SavedPosition.OfGroup(key, at(second), List.of(new SavedPosition.Member(member, 1)));
    }

    private static SavedPosition fitting(List<SavedPosition.OfGroup> groups, int longest) {
        String text = SavedPositionText.write(of(groups), longest);
        assertThat(text.length()).isLessThanOrEqualTo(longest);
        return SavedPositionText.parse(text).orElseThrow();
    }

    /** A member's place, which is named once. */
    private static Position placeOf(SavedPosition saved, String member) {
        List<Position> places = saved.streams().get("shop").groups().stream()
                .filter(group ->
                        group.members() != null && group.members().contains(new SavedPosition.Member(member, 1)))
                .map(SavedPosition.OfGroup::at)
                .toList();
        assertThat(places).as(member).hasSize(1);
        return places.getFirst();
    }

    @Test
    void whereNoRevisionIsLowEnoughTheNearestSideGroupsAreOneAtTheLowerPlace() {
        List<SavedPosition.OfGroup> groups = new ArrayList<>(List.of(
                new SavedPosition.OfGroup(KEY, at(31), null),
                side(KEY, 70, "far"),
                side(KEY, 33, "upper"),
                side(KEY, 10, "lowest"),
                side(KEY, 30, "lower")));
        int whole = SavedPositionText.write(of(groups)).length();
        SavedPosition some = fitting(groups, whole - 1);
        assertThat(some.revision()).isEqualTo(100);
        assertThat(placeOf(some, "lower")).isEqualTo(at(30));
        assertThat(placeOf(some, "upper")).as("the nearest to its neighbour").isEqualTo(at(30));
        assertThat(placeOf(some, "far")).isEqualTo(at(70));
        assertThat(placeOf(some, "lowest")).isEqualTo(at(10));
        SavedPosition.OfStream stream = some.streams().get("shop");
        assertThat(stream.placeOfMain(KEY)).isEqualTo(at(31));
        assertThat(stream.tail()).isEqualTo(at(100));
        assertThat(some.resync()).isEqualTo(of(groups).resync());
    }

    @Test
    void sideGroupsOfAnotherHomeOrPriorityAreNoNeighbours() {
        GroupKey urgent = new GroupKey(KEY.home(), "", Priority.HIGH);
        GroupKey other = new GroupKey(new Home.Gateway("h"), "", Priority.NORMAL);
        List<SavedPosition.OfGroup> groups =
                List.of(side(KEY, 10, "a"), side(urgent, 11, "b"), side(other, 12, "c"), side(KEY, 60, "d"));
        SavedPosition some = fitting(groups, SavedPositionText.write(of(groups)).length() - 1);
        assertThat(placeOf(some, "a")).isEqualTo(at(10));
        assertThat(placeOf(some, "b")).isEqualTo(at(11));
        assertThat(placeOf(some, "c")).isEqualTo(at(12));
        assertThat(placeOf(some, "d")).as("its only neighbour is far below").isEqualTo(at(10));
    }

    @Test
    void manySideGroupsAreMergedUntilTheyFitAndOnlyThenEverythingFalls() {
        List<SavedPosition.OfGroup> groups = new ArrayList<>();
        for (int k = 1; k <= 80; k++) {
            groups.add(side(KEY, k, "s" + k));
        }
        groups.add(new SavedPosition.OfGroup(KEY, at(90), null));
        int whole = SavedPositionText.write(of(groups)).length();
        for (int longest = whole - 1; longest > 1_600; longest -= 97) {
            SavedPosition some = fitting(groups, longest);
            SavedPosition.OfStream stream = some.streams().get("shop");
            assertThat(stream.tail()).isEqualTo(at(100));
            assertThat(stream.placeOfMain(KEY)).isEqualTo(at(90));
            for (int k = 1; k <= 80; k++) {
                assertThat(placeOf(some, "s" + k)).isLessThanOrEqualTo(at(k));
            }
        }
        SavedPosition lowest = fitting(groups, 400);
        assertThat(lowest.streams().get("shop").tail()).isEqualTo(at(1));
        assertThat(lowest.streams().get("shop").groups()).isEmpty();
    }

    @Test
    void aPositionOf01IsCarriedOver() {
        ProgressMarker head = new ProgressMarker(Map.of("shop", at(120).id()));
        ProgressMarker low = new ProgressMarker(Map.of("shop", at(100).id()));
        ProgressMarker behind = new ProgressMarker(Map.of("shop", at(50).id()));
        String text = "{\"head\":\"%s\",\"low\":\"%s\",\"behind\":[{\"at\":\"%s\",\"of\":[\"normal:g\"]}],"
                        .formatted(head.encode(), low.encode(), behind.encode())
                + "\"starting\":[{\"at\":\"%s\",\"of\":[\"young\"]}],\"resync\":[\"told\"]}".formatted(behind.encode());
        SavedPosition saved = SavedPositionText.parse(text).orElseThrow();
        SavedPosition.OfStream stream = saved.streams().get("shop");
        assertThat(saved.revision()).isOne();
        assertThat(stream.tail().id()).isEqualTo(at(100).id());
        assertThat(stream.sent()).isEqualTo(ClusterTime.of(120, 1));
        assertThat(stream.placeOfMain(KEY).id()).isEqualTo(at(50).id());
        assertThat(stream.groups())
                .filteredOn(group -> group.members() != null)
                .singleElement()
                .satisfies(group -> assertThat(group.members()).containsExactly(new SavedPosition.Member("young", 0)));
        assertThat(saved.resync()).containsExactly(new SavedPosition.Member("told", 0));
    }

    @Test
    void ofTwoPartitionsTheLowestPlacesAndTheHighestSentCount() {
        SavedPosition one = of(List.of(new SavedPosition.OfGroup(KEY, at(90), null)));
        SavedPosition two = new SavedPosition(
                5,
                7,
                Map.of(
                        "shop",
                        new SavedPosition.OfStream(
                                3,
                                at(95),
                                ClusterTime.of(130, 0),
                                List.of(new SavedPosition.OfGroup(
                                        KEY, at(60), List.of(new SavedPosition.Member("s", 1)))))),
                List.of());
        SavedPosition both = one.lower(two);
        SavedPosition.OfStream stream = both.streams().get("shop");
        assertThat(both.revision()).isEqualTo(7);
        assertThat(stream.tail()).isEqualTo(at(95));
        assertThat(stream.sent()).isEqualTo(ClusterTime.of(130, 0));
        assertThat(stream.placeOfMain(KEY)).isEqualTo(at(90));
        assertThat(stream.lowest()).isEqualTo(at(60));
    }

    @Test
    void whatIsNoneOfOursIsRefused() {
        assertThat(SavedPositionText.parse("")).isEmpty();
        assertThatThrownBy(() -> SavedPositionText.parse("{\"v\":2}")).isInstanceOf(InvalidInputException.class);
        assertThatThrownBy(() -> SavedPositionText.parse("what?")).isInstanceOf(InvalidInputException.class);
    }

    /** A backend that was taken out of the configuration keeps its own revision, and holds down no other's. */
    @Test
    void aLogThatIsNotThereKeepsItsPlaceAndItsRevision() {
        SavedPosition before = of(List.of());
        SavedPosition later = new SavedPosition(
                5,
                200,
                Map.of("stock", new SavedPosition.OfStream(4, at(300), ClusterTime.of(310, 0), List.of())),
                List.of());
        SavedPosition both = SavedPositionText.parse(SavedPositionText.write(later.withLogsOf(before)))
                .orElseThrow();
        assertThat(both.revision()).isEqualTo(200);
        assertThat(both.revisionOf(both.streams().get("stock"))).isEqualTo(200);
        assertThat(both.revisionOf(both.streams().get("shop"))).isEqualTo(100);
        SavedPosition again = SavedPositionText.parse(
                        SavedPositionText.write(new SavedPosition(5, 300, later.streams(), List.of()).withLogsOf(both)))
                .orElseThrow();
        assertThat(again.revisionOf(again.streams().get("shop"))).isEqualTo(100);
        SavedPosition restored = new SavedPosition(6, 300, later.streams(), List.of()).withLogsOf(both);
        assertThat(restored.revisionOf(restored.streams().get("shop")))
                .as("of another registry")
                .isZero();
    }
}
