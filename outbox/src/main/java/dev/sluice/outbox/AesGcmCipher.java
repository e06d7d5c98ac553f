package dev.sluice.outbox;

import dev.sluice.model.InvalidInputException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Map;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/** Stored form: twelve bytes of nonce, then ciphertext and tag. */
final class AesGcmCipher implements PayloadCipher {
    private static final String ALGORITHM = "AES/GCM/NoPadding";
    private static final int NONCE = 12;
    private static final int TAG_BITS = 128;

    private final String currentKey;
    private final Map<String, SecretKey> keys;
    private final SecureRandom random = new SecureRandom();

    AesGcmCipher(String currentKey, Map<String, SecretKey> keys) {
        if (!keys.containsKey(currentKey)) {
            throw new InvalidInputException("the cipher's current key " + InvalidInputException.quote(currentKey)
                    + " is not among its keys " + keys.keySet());
        }
        this.currentKey = currentKey;
        this.keys = Map.copyOf(keys);
    }

    @Override
    public Encrypted encrypt(byte[] payload, byte[] context) throws GeneralSecurityException {
        byte[] nonce = new byte[NONCE];
        random.nextBytes(nonce);
        byte[] sealed = cipher(Cipher.ENCRYPT_MODE, currentKey, nonce, context).doFinal(payload);
        return new Encrypted(
                currentKey,
                ByteBuffer.allocate(NONCE + sealed.length)
                        .put(nonce)
                        .put(sealed)
                        .array());
    }

    @Override
    public byte[] decrypt(Encrypted encrypted, byte[] context) throws GeneralSecurityException {
        byte[] stored = encrypted.bytes();
        if (stored.length < NONCE) {
            throw new AEADBadTagException("it is too short to have been encrypted");
        }
        byte[] nonce = Arrays.copyOf(stored, NONCE);
        return cipher(Cipher.DECRYPT_MODE, encrypted.keyName(), nonce, context)
                .doFinal(stored, NONCE, stored.length - NONCE);
    }

    private Cipher cipher(int mode, String keyName, byte[] nonce, byte[] context) throws GeneralSecurityException {
        SecretKey key = keys.get(keyName);
        if (key == null) {
            throw new InvalidKeyException("there is no such key, only " + keys.keySet());
        }
        Cipher cipher = Cipher.getInstance(ALGORITHM);
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(context);
        return cipher;
    }
}
