package dev.sluice.server.config;

import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Secret;
import dev.sluice.server.config.yaml.Setting;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Collections;
import java.util.Map;
import java.util.Set;

/** Keys an outbox relay decrypts payloads with (AES in GCM mode), under the names that the writers gave them. */
public record OutboxEncryption(
        @Setting(meaning = "Keys by name: base64 of 16, 24 or 32 bytes; best as `${OUTBOX_KEY}`.")
        Map<String, Secret> keys,

        @Setting(meaning = "Files by name of key; each holds one key, as under `keys`.")
        Map<String, Path> keyFiles) {

    public static final String FORM = "base64 of 16, 24 or 32 bytes; make a key with: openssl rand -base64 32";

    private static final Set<Integer> AES_BYTES = Set.of(16, 24, 32);

    public OutboxEncryption {
        new Rules()
                .require(keys.values().stream().allMatch(key -> isKey(key.reveal())), "must each be " + FORM, "keys")
                .require(
                        Collections.disjoint(keys.keySet(), keyFiles.keySet()),
                        "names a key that keys has too; keep one of them",
                        "keyFiles",
                        "keys")
                .enforce();
    }

    /** Whether a text can be a key. */
    public static boolean isKey(String text) {
        try {
            return AES_BYTES.contains(Base64.getDecoder().decode(text.strip()).length);
        } catch (IllegalArgumentException noBase64) {
            return false;
        }
    }
}
