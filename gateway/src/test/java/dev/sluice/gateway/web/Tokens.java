package dev.sluice.gateway.web;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Makes JSON Web Tokens, good ones and others. */
final class Tokens {
    static final byte[] SECRET = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private Tokens() {}

    static String hs256(byte[] secret, String header, String claims) throws GeneralSecurityException {
        String signed = part(header) + '.' + part(claims);
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret, "HmacSHA256"));
        return signed + '.' + encode(mac.doFinal(signed.getBytes(StandardCharsets.US_ASCII)));
    }

    static String hs256(String claims) throws GeneralSecurityException {
        return hs256(SECRET, "{\"alg\":\"HS256\",\"typ\":\"JWT\"}", claims);
    }

    static String rs256(PrivateKey key, String claims) throws GeneralSecurityException {
        String signed = part("{\"alg\":\"RS256\"}") + '.' + part(claims);
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initSign(key);
        signature.update(signed.getBytes(StandardCharsets.US_ASCII));
        return signed + '.' + encode(signature.sign());
    }

    static String unsigned(String header, String claims) {
        return part(header) + '.' + part(claims) + '.';
    }

    static String part(String json) {
        return encode(json.getBytes(StandardCharsets.UTF_8));
    }

    private static String encode(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
