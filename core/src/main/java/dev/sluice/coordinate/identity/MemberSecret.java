package dev.sluice.coordinate.identity;

import dev.sluice.model.InvalidInputException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What the members of a group share, and nobody else knows. It signs member records and the leader's assignment
 * (HMAC-SHA256), so that whoever can write to the store, but does not know it, can neither make itself a member nor tell
 * members what to own. It never leaves this class: no accessor, not in
 * {@link #toString}.
 */
public final class MemberSecret {
    public static final int MIN_BYTES = 16;
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    private MemberSecret(SecretKeySpec key) {
        this.key = key;
    }

    public static MemberSecret of(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length < MIN_BYTES) {
            throw new InvalidInputException("the members' shared secret needs at least " + MIN_BYTES
                    + " bytes; make one with: openssl rand -hex 32");
        }
        return new MemberSecret(new SecretKeySpec(bytes, ALGORITHM));
    }

    /** The record with its signature for this group; in another group it is worth nothing. */
    public MemberRecord sign(String group, MemberRecord member) {
        return member.signed(HexFormat.of().formatHex(code(group, member)));
    }

    /** Whether one who knows the secret wrote exactly this record, for this group. */
    public boolean signed(String group, MemberRecord member) {
        byte[] given = HexFormat.of().parseHex(member.signature());
        return MessageDigest.isEqual(code(group, member), given);
    }

    /** The signature of a leader's assignment for this group, in hexadecimal. */
    public String sign(String group, byte[] assignment) {
        return HexFormat.of().formatHex(code(group, assignment));
    }

    /** Whether one who knows the secret signed exactly this assignment, for this group. */
    public boolean signed(String group, byte[] assignment, String signature) {
        byte[] expected = sign(group, assignment).getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8));
    }

    private byte[] code(String group, byte[] assignment) {
        Mac mac = mac();
        text(mac, "sluice assignment 1");
        text(mac, group);
        number(mac, assignment.length);
        mac.update(assignment);
        return mac.doFinal();
    }

    /** Each part with its length before it: no two records have the same form. */
    private byte[] code(String group, MemberRecord member) {
        Mac mac = mac();
        text(mac, "sluice member 1");
        text(mac, group);
        text(mac, member.id());
        text(mac, member.incarnation());
        text(mac, member.state().text());
        number(mac, member.weight());
        number(mac, member.sequence());
        number(mac, member.metadata().size());
        for (Map.Entry<String, String> entry : member.metadata().entrySet()) {
            text(mac, entry.getKey());
            text(mac, entry.getValue());
        }
        return mac.doFinal();
    }

    private static void text(Mac mac, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        number(mac, bytes.length);
        mac.update(bytes);
    }

    private static void number(Mac mac, long number) {
        mac.update(ByteBuffer.allocate(Long.BYTES).putLong(number).flip());
    }

    private Mac mac() {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM + ", this one does not", e);
        }
    }

    @Override
    public String toString() {
        return "the members' shared secret";
    }
}
