package dev.sluice.outbox;

import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.table.Row;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HashMap;
import java.util.Map;
import javax.crypto.SecretKey;

/**
 * Keeps payloads unreadable in the database: encrypted when they are appended, decrypted by the relay before they are sent.
 * Each row names its key, so that keys can change while rows wait, and rows from before there was a cipher go on as they
 * are. Topic, key, type and headers stay readable.
 */
public interface PayloadCipher {
    /** The header of a row that says what its payload was encrypted with. It is taken off before the row is sent. */
    String HEADER = "sluice-cipher-key";

    /** A payload as it is stored, and the name of the key to decrypt it with. */
    @SuppressWarnings("ArrayRecordComponent") // Carried, never compared.
    record Encrypted(String keyName, byte[] bytes) {}

    /** @param context what the payload belongs to: bound to it where the cipher can, so that payloads cannot be swapped */
    Encrypted encrypt(byte[] payload, byte[] context) throws GeneralSecurityException;

    /** @param context the same as when it was encrypted */
    byte[] decrypt(Encrypted encrypted, byte[] context) throws GeneralSecurityException;

    /** AES in GCM mode with a random nonce, bound to topic and key. The keys before the current one only decrypt. */
    static PayloadCipher aesGcm(String currentKey, Map<String, SecretKey> keys) {
        return new AesGcmCipher(currentKey, keys);
    }

    /**
     * The row as it is sent.
     *
     * @throws InvalidInputException when its payload cannot be decrypted
     */
    default Row open(Row row) {
        String keyName = row.headers().get(HEADER);
        if (keyName == null) {
            return row;
        }
        Map<String, String> headers = new HashMap<>(row.headers());
        headers.remove(HEADER);
        try {
            byte[] payload = decrypt(new Encrypted(keyName, row.payload()), context(row.topic(), row.key()));
            return new Row(
                    row.id(),
                    row.partition(),
                    row.topic(),
                    row.key(),
                    row.type(),
                    payload,
                    headers,
                    row.priority(),
                    row.createdAt());
        } catch (GeneralSecurityException failed) {
            throw new InvalidInputException("the payload of outbox row " + row.id() + " cannot be decrypted with key "
                    + InvalidInputException.quote(keyName) + ": " + failed.getMessage()
                    + "; give the relay the keys that the writers had, then requeue it");
        }
    }

    /**
     * The row as a relay without a cipher sends it.
     *
     * @throws InvalidInputException when its payload is encrypted: no receiver could read it
     */
    static Row requirePlain(Row row) {
        String keyName = row.headers().get(HEADER);
        if (keyName != null) {
            throw new InvalidInputException("the payload of outbox row " + row.id() + " is encrypted with key "
                    + InvalidInputException.quote(keyName)
                    + ", and this relay has no keys; give the relay the keys that"
                    + " the writers have (outbox.encryption, or OutboxRelay.Builder.cipher), then requeue it");
        }
        return row;
    }

    /** What a payload belongs to. */
    static byte[] context(String topic, String key) {
        return (topic + '\0' + key).getBytes(StandardCharsets.UTF_8);
    }
}
