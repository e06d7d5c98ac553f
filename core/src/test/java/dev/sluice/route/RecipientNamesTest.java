package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ProgressMarker;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What has no gateway of its own is shown by a name a person can read, and positions saved under older names hold. */
class RecipientNamesTest {
    private final Scene scene = new Scene(
            StreamerSettings.DEFAULT.withMode(RoutingMode.CONSISTENT_HASH, 0).withLanes(Scene.SMALL));

    @Test
    void aShareOfTheRingIsShownByItsNumber() {
        scene.subscribe("s", "");
        scene.change("d");
        scene.run(1000);
        assertThat(scene.streamer.status().lanes())
                .extracting(StreamerStatus.OfLane::gatewayId)
                .containsExactly("ring share 34");
    }

    /** As commit ab4d59c wrote it. */
    @Test
    void aPositionSavedUnderTheOldNameIsGoneOnFrom() {
        scene.subscribe("s", "");
        ProgressMarker before = scene.feed.end();
        List<ChangeEvent> missed = scene.changes(3);
        String end = scene.feed.end().encode();
        scene.claim.restore("{\"head\":\"" + end + "\",\"low\":\"" + end + "\",\"behind\":[{\"at\":\"" + before.encode()
                + "\",\"of\":[\"normal:\\u000134\"]}]}");
        scene.crash();
        scene.run(1000);
        SimulatedGateway gateway = scene.up("g");
        scene.run(2000);
        assertThat(Scene.got(gateway, "s")).isEqualTo(Scene.ids(missed));
    }

    @Test
    void everyRecipientIsReadBackFromItsStoredForm() {
        Recipient share = new Recipient.RingShare(7);
        for (Recipient each : List.of(
                new Recipient.Gateway("g"),
                share,
                new Recipient.Broadcast("g", new Recipient.Gateway("h")),
                new Recipient.Broadcast("g", share))) {
            assertThat(Recipient.parse(each.stored())).isEqualTo(each);
        }
        assertThat(new Recipient.Broadcast("g", share).stored()).isEqualTo("\u0002g\u0002\u00017");
        assertThat(new Recipient.Broadcast("g", share)).hasToString("broadcast of ring share 7 to g");
    }
}
