package dev.sluice.coordinate.identity;

import dev.sluice.coordinate.assign.Candidate;
import dev.sluice.model.InvalidInputException;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What a member says about itself, stored under its id. Bounded in every part, so that a stranger's record costs no more
 * than one of ours; a record that exists is valid in form, which says nothing about whether it is true: that is for the
 * {@link MemberGate}.
 *
 * @param incarnation which start of the member this is; it holds the member's lease
 * @param metadata small facts for people and routers, such as an address; in order of its keys
 * @param sequence grows with every record of one incarnation, so that an older one is known as such
 * @param signature of the group's secret over everything else and the group's name, in hexadecimal; empty without one
 */
public record MemberRecord(
        String id,
        String incarnation,
        MemberState state,
        int weight,
        Map<String, String> metadata,
        long sequence,
        String signature) {
    public static final int MAX_METADATA = 32;
    public static final int MAX_METADATA_VALUE = 512;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}");
    private static final Pattern METADATA_KEY = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
    private static final Pattern SIGNATURE = Pattern.compile("([0-9a-f]{64})?");

    public MemberRecord {
        check(NAME.matcher(id).matches(), "its id is not 1 to 128 letters, digits, '_', '-' and '.'");
        check(NAME.matcher(incarnation).matches(), "its incarnation is not 1 to 128 letters, digits, '_', '-' and '.'");
        check(weight >= 1 && weight <= Candidate.MAX_WEIGHT, "its weight is not 1 to " + Candidate.MAX_WEIGHT);
        check(sequence >= 0, "its sequence is negative");
        check(SIGNATURE.matcher(signature).matches(), "its signature is not 64 hexadecimal digits");
        check(metadata.size() <= MAX_METADATA, "it has more than " + MAX_METADATA + " metadata entries");
        metadata.forEach(MemberRecord::checkMetadata);
        metadata = Collections.unmodifiableMap(new TreeMap<>(metadata));
    }

    /** A member's first word: not signed yet, about to join. */
    public static MemberRecord joining(String id, String incarnation, int weight, Map<String, String> metadata) {
        return new MemberRecord(id, incarnation, MemberState.JOINING, weight, metadata, 1, "");
    }

    /** The record that follows this one; unsigned, because a signature is for one record. */
    public MemberRecord next(MemberState next) {
        return new MemberRecord(id, incarnation, next, weight, metadata, Math.addExact(sequence, 1), "");
    }

    /** The record that follows this one, with other metadata; unsigned. */
    public MemberRecord next(Map<String, String> other) {
        return new MemberRecord(id, incarnation, state, weight, other, Math.addExact(sequence, 1), "");
    }

    public MemberRecord signed(String by) {
        return new MemberRecord(id, incarnation, state, weight, metadata, sequence, by);
    }

    public Candidate candidate() {
        return new Candidate(id, weight);
    }

    /** The stored form: one small JSON text. */
    public byte[] toJson() {
        return MemberJson.write(this);
    }

    /** @throws InvalidInputException when the bytes are no member record; a {@link MemberGate} makes that a refusal */
    public static MemberRecord parse(byte[] json) {
        return MemberJson.read(json);
    }

    private static void checkMetadata(String key, String value) {
        check(METADATA_KEY.matcher(key).matches(), "a metadata key is not 1 to 64 letters, digits, '_', '-' and '.'");
        check(value.length() <= MAX_METADATA_VALUE, "a metadata value is longer than " + MAX_METADATA_VALUE);
        check(value.codePoints().noneMatch(MemberRecord::unprintable), "a metadata value has unprintable characters");
    }

    /** Lone surrogates have no UTF-8 form of their own: two texts would have one signature. */
    private static boolean unprintable(int point) {
        return Character.isISOControl(point) || Character.getType(point) == Character.SURROGATE;
    }

    private static void check(boolean good, String problem) {
        if (!good) {
            throw new InvalidInputException("not a member record: " + problem);
        }
    }
}
