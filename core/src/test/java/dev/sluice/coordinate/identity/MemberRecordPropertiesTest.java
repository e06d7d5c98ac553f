package dev.sluice.coordinate.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.identity.Admission.Admitted;
import dev.sluice.coordinate.identity.Admission.Refused;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class MemberRecordPropertiesTest {
    private static final String GROUP = "sluice/streamer";
    private static final MemberSecret SECRET = MemberSecret.of("correct horse battery staple");

    @Property(tries = 500)
    void everyRecordIsReadAsItWasWritten(@ForAll("records") MemberRecord member) {
        assertThat(MemberRecord.parse(member.toJson())).isEqualTo(member);
        assertThat(member.toJson()).hasSizeLessThan(MemberJson.MAX_BYTES);
    }

    @Property(tries = 1_000)
    void arbitraryBytesNeverEscapeTheGate(@ForAll byte[] bytes) {
        MemberGate gate = new MemberGate(GROUP, List.of());
        assertThat(gate.admit("node-1", bytes, "inc-1")).isInstanceOf(Refused.class);
    }

    /** One byte of a signed record changed: refused, unless it reads as the very same record. */
    @Property(tries = 2_000)
    void noSingleByteCanBeChanged(
            @ForAll("records") MemberRecord member, @ForAll byte other, @ForAll int position, @ForAll boolean cut) {
        MemberRecord signed = SECRET.sign(GROUP, member);
        byte[] bytes = signed.toJson();
        int at = Math.floorMod(position, bytes.length);
        if (cut) {
            bytes = Arrays.copyOf(bytes, at);
        } else {
            bytes[at] = other;
        }
        Admission said = new MemberGate(GROUP, List.of(SECRET)).admit(member.id(), bytes, member.incarnation());
        if (said instanceof Admitted admitted) {
            assertThat(admitted.member()).isEqualTo(signed);
        } else {
            assertThat(said).isInstanceOf(Refused.class);
        }
    }

    /** The parts of the signed form cannot run into each other: different records have different signatures. */
    @Property(tries = 500)
    void differentRecordsHaveDifferentSignatures(
            @ForAll("records") MemberRecord one, @ForAll("records") MemberRecord two) {
        String first = SECRET.sign(GROUP, one).signature();
        String second = SECRET.sign(GROUP, two).signature();
        assertThat(first.equals(second)).isEqualTo(one.signed("").equals(two.signed("")));
    }

    @Provide
    Arbitrary<MemberRecord> records() {
        Arbitrary<String> names = Arbitraries.strings()
                .withCharRange('a', 'c')
                .withChars("-_")
                .ofMinLength(1)
                .ofMaxLength(3);
        Arbitrary<String> values = Arbitraries.strings()
                .withChars("ab\"\\{}[]:,' ")
                .withCharRange('\u00e0', '\u00ff')
                .withCharRange('\u4e00', '\u4e10')
                .ofMaxLength(20);
        Arbitrary<Map<String, String>> metadata =
                Arbitraries.maps(names, values).ofMaxSize(4);
        return Combinators.combine(
                        names,
                        names,
                        Arbitraries.of(MemberState.class),
                        Arbitraries.integers().between(1, 1_000),
                        metadata,
                        Arbitraries.longs().greaterOrEqual(0))
                .as((id, incarnation, state, weight, more, sequence) ->
                        new MemberRecord(id, incarnation, state, weight, more, sequence, ""));
    }
}
