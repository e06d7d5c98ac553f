package dev.sluice.server.outbox;

import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.PayloadCipher;
import dev.sluice.server.config.OutboxEncryption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** The cipher for the keys of {@code outbox.encryption}. No message holds a key. */
final class PayloadKeys {
    private PayloadKeys() {}

    /**
     * Null when there are no keys.
     *
     * @throws InvalidInputException when a file of a key cannot be read, or holds no key
     */
    static @Nullable PayloadCipher cipher(OutboxEncryption config) {
        Map<String, SecretKey> keys = new HashMap<>();
        config.keys().forEach((name, secret) -> keys.put(name, key(secret.reveal())));
        config.keyFiles().forEach((name, file) -> keys.put(name, key(read(name, file))));
        // The relay only decrypts: which of them is the current one does not matter.
        return keys.isEmpty()
                ? null
                : PayloadCipher.aesGcm(keys.keySet().iterator().next(), keys);
    }

    private static SecretKey key(String text) {
        return new SecretKeySpec(Base64.getDecoder().decode(text.strip()), "AES");
    }

    private static String read(String name, Path file) {
        try {
            String text = Files.readString(file);
            if (OutboxEncryption.isKey(text)) {
                return text;
            }
            throw unusable(name, file, "holds no key; it must be " + OutboxEncryption.FORM);
        } catch (IOException unreadable) {
            throw unusable(name, file, "cannot be read (" + unreadable + "); let the user who runs Sluice read it");
        }
    }

    private static InvalidInputException unusable(String name, Path file, String why) {
        return new InvalidInputException("outbox.encryption.key_files." + name + ": the file " + file + ' ' + why);
    }
}
