package dev.sluice.coordinate.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.coordinate.identity.Admission.Admitted;
import dev.sluice.coordinate.identity.Admission.Cause;
import dev.sluice.coordinate.identity.Admission.Outdated;
import dev.sluice.coordinate.identity.Admission.Refused;
import dev.sluice.model.InvalidInputException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class MemberGateTest {
    private static final String GROUP = "sluice/streamer";
    private static final MemberSecret SECRET = MemberSecret.of("correct horse battery staple");
    private static final MemberSecret OTHER = MemberSecret.of("wrong horse battery staple!!");
    private static final MemberRecord JOINING =
            MemberRecord.joining("node-1", "inc-1", 2, Map.of("address", "127.0.0.1:7000"));
    private static final MemberRecord READY = JOINING.next(MemberState.READY);

    private final MemberGate gate = new MemberGate(GROUP, List.of(SECRET));

    @Test
    void aSignedRecordOfTheHolderIsAdmitted() {
        MemberRecord signed = SECRET.sign(GROUP, READY);
        assertThat(gate.admit("node-1", signed.toJson(), "inc-1")).isEqualTo(new Admitted(signed));
    }

    @Test
    void theStoredFormIsReadableAndStable() {
        assertThat(new String(READY.toJson(), StandardCharsets.UTF_8)).isEqualTo("""
                        {"id": "node-1", "incarnation": "inc-1", "state": "ready", "weight": 2, \
                        "metadata": {"address": "127.0.0.1:7000"}, "sequence": 2, "signature": ""}""");
        assertThat(MemberRecord.parse(READY.toJson())).isEqualTo(READY);
    }

    /** Computed apart from our code: HMAC-SHA256 over the length-prefixed parts. */
    @Test
    void theSignatureIsTheOneOtherProgramsCompute() {
        assertThat(SECRET.sign(GROUP, READY).signature())
                .isEqualTo("195645a22b7b48040bc7bce5e4fd109fb43ef22feaeeb665c58a8d8935fb4091");
    }

    @Test
    void anUnsignedRecordIsRefused() {
        assertThat(refusal(READY)).isEqualTo(Cause.UNSIGNED);
    }

    @Test
    void aRecordSignedWithAnotherSecretIsRefused() {
        assertThat(refusal(OTHER.sign(GROUP, READY))).isEqualTo(Cause.ALTERED);
    }

    @Test
    void aRecordSignedForAnotherGroupIsRefused() {
        assertThat(refusal(SECRET.sign("sluice/outbox", READY))).isEqualTo(Cause.ALTERED);
    }

    @Test
    void aRecordAlteredInAnyPartIsRefused() {
        String by = SECRET.sign(GROUP, READY).signature();
        assertThat(List.of(
                        JOINING.next(MemberState.LEAVING).signed(by),
                        READY.next(READY.metadata()).signed(by),
                        new MemberRecord("node-1", "inc-1", READY.state(), 3, READY.metadata(), 2, by),
                        new MemberRecord("node-1", "inc-1", READY.state(), 2, Map.of(), 2, by),
                        new MemberRecord("node-1", "inc-1", READY.state(), 2, Map.of("address", "evil:1"), 2, by),
                        new MemberRecord("node-1", "inc-1", READY.state(), 2, Map.of("addres", "s"), 2, by)))
                .allSatisfy(altered -> assertThat(refusal(altered)).isEqualTo(Cause.ALTERED));
    }

    @Test
    void aGoodRecordUnderAnotherIdOrIncarnationIsRefused() {
        byte[] good = SECRET.sign(GROUP, READY).toJson();
        assertThat(gate.admit("node-2", good, "inc-1")).satisfies(isRefused(Cause.FOREIGN));
        assertThat(gate.admit("node-1", good, "inc-2")).satisfies(isRefused(Cause.FOREIGN));
    }

    @Test
    void aReplayedOlderRecordDoesNotBringItsMemberBack() {
        MemberRecord ready = SECRET.sign(GROUP, READY);
        MemberRecord leaving = SECRET.sign(GROUP, ready.next(MemberState.LEAVING));
        assertThat(gate.admit("node-1", leaving.toJson(), "inc-1")).isEqualTo(new Admitted(leaving));
        assertThat(gate.admit("node-1", ready.toJson(), "inc-1")).isEqualTo(new Outdated(leaving));
    }

    @Test
    void anIncarnationThatAnotherFollowedNeverCountsAgain() {
        MemberRecord first = SECRET.sign(GROUP, READY);
        MemberRecord second = SECRET.sign(GROUP, MemberRecord.joining("node-1", "inc-2", 1, Map.of()));
        assertThat(gate.admit("node-1", first.toJson(), "inc-1")).isInstanceOf(Admitted.class);
        assertThat(gate.admit("node-1", second.toJson(), "inc-2")).isInstanceOf(Admitted.class);
        MemberRecord again = SECRET.sign(GROUP, READY.next(MemberState.READY));
        assertThat(gate.admit("node-1", again.toJson(), "inc-1")).satisfies(isRefused(Cause.ENDED));
        assertThat(gate.admit("node-1", second.toJson(), "inc-2")).isInstanceOf(Admitted.class);
    }

    @Test
    void aSecretCanBeExchangedWhileBothAreGood() {
        MemberGate both = new MemberGate(GROUP, List.of(OTHER, SECRET));
        assertThat(both.admit("node-1", SECRET.sign(GROUP, READY).toJson(), "inc-1"))
                .isInstanceOf(Admitted.class);
        assertThat(both.admit("node-1", OTHER.sign(GROUP, READY).toJson(), "inc-1"))
                .isInstanceOf(Admitted.class);
    }

    @Test
    void withoutASecretSignaturesAreNotAsked() {
        MemberGate open = new MemberGate(GROUP, List.of());
        assertThat(open.admit("node-1", READY.toJson(), "inc-1")).isEqualTo(new Admitted(READY));
        MemberRecord signed = OTHER.sign(GROUP, READY);
        assertThat(open.admit("node-1", signed.toJson(), "inc-1")).isEqualTo(new Admitted(signed));
    }

    @Test
    void aMalformedRecordIsRefusedInOneSentenceThatRepeatsNothingOfIt() {
        String good = new String(SECRET.sign(GROUP, READY).toJson(), StandardCharsets.UTF_8);
        assertThat(List.of(
                        "",
                        "evil",
                        "[]",
                        "{}",
                        good + "evil",
                        good.replace("\"sequence\"", "\"evil\""),
                        good.replace("\"weight\": 2", "\"weight\": 2, \"weight\": 2"),
                        good.replace("\"weight\": 2", "\"weight\": 4294967298"),
                        good.replace("\"weight\": 2", "\"weight\": 0"),
                        good.replace("\"weight\": 2", "\"weight\": 99999999999999999999"),
                        good.replace("\"sequence\": 2", "\"sequence\": -1"),
                        good.replace("\"sequence\": 2", "\"sequence\": 2.5"),
                        good.replace("ready", "evil"),
                        good.replace("127.0.0.1:7000", "\\ud800evil"),
                        good.replace("127.0.0.1:7000", "evil\\n"),
                        good.replace("\"127.0.0.1:7000\"", "{\"evil\": 1}"),
                        good.replace("127.0.0.1:7000", "evil".repeat(200)),
                        "{\"id\": " + "[".repeat(60_000),
                        " ".repeat(70_000)))
                .allSatisfy(bad -> assertThat(gate.admit("node-1", bad.getBytes(StandardCharsets.UTF_8), "inc-1"))
                        .satisfies(isRefused(Cause.MALFORMED))
                        .extracting(refused -> ((Refused) refused).reason(), InstanceOfAssertFactories.STRING)
                        .startsWith("the record of member node-1 is not a member record: ")
                        .doesNotContain("evil", "\n"));
    }

    @Test
    void theSecretIsNeverShown() {
        assertThat(SECRET.toString() + gate).doesNotContain("horse");
        assertThatThrownBy(() -> MemberSecret.of("short horse"))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("at least 16 bytes")
                .hasMessageNotContaining("horse");
    }

    private Cause refusal(MemberRecord member) {
        Admission said = gate.admit(member.id(), member.toJson(), member.incarnation());
        assertThat(said).isInstanceOf(Refused.class);
        return ((Refused) said).cause();
    }

    private static java.util.function.Consumer<Admission> isRefused(Cause cause) {
        return said -> assertThat(said)
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.cause()).isEqualTo(cause));
    }
}
