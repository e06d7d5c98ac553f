package dev.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.EventType;
import dev.sluice.deliver.Passed;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.FencingToken;
import dev.sluice.model.ProgressMarker;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What moves the resume point of one subscription; {@link ResumePointPropertiesTest} has random schedules. */
class ResumePointTest {
    private final PassedPartitions passed = new PassedPartitions();
    private final ResumePoint point = new ResumePoint("s", passed, Reached.NOTHING, new Exceptions());

    private static String marker(int n) {
        return StandInStreamer.marker(n);
    }

    private void pass(long generation, int n, long revision, String... except) {
        passed.tell(new Passed(generation, 1, 0, ProgressMarker.decode(marker(n)), revision, List.of(except)));
    }

    private void register(long revision) {
        point.registered(Reached.at(marker(10)), revision, passed.generation());
    }

    private static Incoming event(int n, long revision) {
        return Events.of(Events.event("s", "a", n), revision, "shop");
    }

    @Test
    void theBaseRisesOnlyByWhatCountsForItsRevisionAndDoesNotExceptIt() {
        pass(1, 5, 1);
        register(7);
        assertThat(point.text()).isEqualTo(marker(10));
        pass(1, 20, 6);
        assertThat(point.text()).as("not applied there").isEqualTo(marker(10));
        pass(1, 21, 7, "s");
        assertThat(point.text()).as("excepted").isEqualTo(marker(10));
        pass(1, 22, 7, "t");
        assertThat(point.text()).isEqualTo(marker(22));
        pass(1, 12, 7);
        assertThat(point.text()).as("it never goes back").isEqualTo(marker(22));
    }

    @Test
    void whenTheRevisionRisesItFallsBackToTheRegistration() {
        pass(1, 5, 1);
        register(7);
        pass(1, 20, 7);
        point.gets(event(25, 7));
        assertThat(point.text()).startsWith(marker(20) + '~');
        point.gets(event(26, 8));
        assertThat(point.text()).startsWith(marker(10) + '~');
        assertThat(ResumeId.parse(point.text()).exceptions().cover(1, 0, "shop", ClusterTime.of(7, 25)))
                .isTrue();
        register(9);
        assertThat(point.text()).isEqualTo(marker(10));
    }

    @Test
    void lettersResyncsAndEventsOfAnotherRevisionMakeNoException() {
        pass(1, 5, 1);
        register(7);
        point.gets(Events.redelivered(event(25, 7)));
        point.gets(event(25, 6));
        point.gets(Events.event("s", "a", 25));
        Incoming resync = Events.event("s", "", 25, new FencingToken(1, 1), EventType.RESYNC, Events.id(25));
        point.gets(Events.of(resync, 7, "shop"));
        assertThat(point.text()).isEqualTo(marker(10));
    }

    @Test
    void aNewGenerationCountsWhenTheStreamerHasSaidSinceThatItHasTheSubscription() {
        pass(1, 5, 1);
        register(7);
        point.gets(event(25, 7));
        pass(2, 30, 7);
        assertThat(point.text())
                .as("its registry may be another one; the streams are")
                .isEqualTo(marker(10));
        point.known(point.base(), 2);
        assertThat(point.text()).isEqualTo(marker(30));
    }

    /** What partitions pass meanwhile is of a gateway without this subscription. */
    @Test
    void whatPartitionsPassWhileTheStreamerDoesNotHaveTheSubscriptionDoesNotCount() {
        pass(1, 20, 7);
        register(7);
        point.known(point.base(), 1);
        assertThat(point.text()).isEqualTo(marker(20));
        pass(1, 50, 8);
        assertThat(point.text()).as("it is not known yet that it ended").isEqualTo(marker(50));
        point.lost();
        pass(1, 60, 9);
        assertThat(point.text()).isEqualTo(marker(20));
        point.registeredAgain(10, 1);
        pass(1, 70, 9);
        assertThat(point.text()).as("nobody has placed it yet").isEqualTo(marker(20));
        pass(1, 80, 10);
        assertThat(point.text()).isEqualTo(marker(80));
    }

    @Test
    void afterLostHistoryItMayGoBackOnce() {
        pass(1, 50, 7);
        register(7);
        assertThat(point.text()).isEqualTo(marker(50));
        point.beginsAgainAt(Reached.NOTHING);
        pass(1, 12, 7);
        assertThat(point.text()).isEqualTo(marker(12));
    }

    @Test
    void markersOfEventsCountOnlyFromAStreamerThatTellsNothingBetter() {
        assertThat(point.isMovedByMarkers(0)).isTrue();
        assertThat(point.isMovedByMarkers(7)).isFalse();
        pass(1, 5, 1);
        assertThat(point.isMovedByMarkers(0)).isFalse();
        assertThat(new ResumePoint("s", null, Reached.NOTHING, new Exceptions()).isMovedByMarkers(7))
                .isTrue();
    }
}
