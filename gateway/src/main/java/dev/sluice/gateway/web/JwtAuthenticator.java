package dev.sluice.gateway.web;

import dev.sluice.gateway.JsonScan;
import dev.sluice.model.InvalidInputException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.time.Clock;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Lets in who shows a JSON Web Token signed with the one algorithm and key it was made with: HS256 and a secret, or RS256
 * and a public key. A token says until when it is valid ({@code exp}; seconds since 1970) and whose changes its bearer may
 * see ({@code tenant}; {@code "*"}: everybody's). Whatever algorithm a token itself names, it is not believed.
 */
public final class JwtAuthenticator implements Authenticator {
    private static final int SHORTEST_SECRET = 32;
    private static final int SHORTEST_MODULUS = 2048;
    private static final int LONGEST_TOKEN = 8 << 10;
    private static final int PARTS = 3;
    private static final String ALL_TENANTS = "*";

    /** Checks a signature. */
    private interface Check {
        boolean isOf(byte[] signature, byte[] signed) throws GeneralSecurityException;
    }

    private final String algorithm;
    private final Check check;
    private final Clock clock;

    private JwtAuthenticator(String algorithm, Check check, Clock clock) {
        this.algorithm = algorithm;
        this.check = check;
        this.clock = clock;
    }

    /** @param secret at least 32 bytes that nobody can guess */
    public static JwtAuthenticator hs256(byte[] secret, Clock clock) {
        if (secret.length < SHORTEST_SECRET) {
            throw new InvalidInputException("a secret for HS256 has at least " + SHORTEST_SECRET
                    + " bytes; make one with: openssl rand -hex 32");
        }
        SecretKeySpec key = new SecretKeySpec(secret, "HmacSHA256");
        return new JwtAuthenticator("HS256", (signature, signed) -> isMac(key, signature, signed), clock);
    }

    private static boolean isMac(SecretKeySpec key, byte[] signature, byte[] signed) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(key);
        return MessageDigest.isEqual(mac.doFinal(signed), signature);
    }

    /** @param pem an RSA public key of 2048 bits or more, as {@code openssl rsa -pubout} writes it */
    public static JwtAuthenticator rs256(String pem, Clock clock) {
        PublicKey key = publicKey(pem);
        return new JwtAuthenticator("RS256", (signature, signed) -> isSignature(key, signature, signed), clock);
    }

    private static boolean isSignature(PublicKey key, byte[] signature, byte[] signed) throws GeneralSecurityException {
        Signature rsa = Signature.getInstance("SHA256withRSA");
        rsa.initVerify(key);
        rsa.update(signed);
        return rsa.verify(signature);
    }

    private static PublicKey publicKey(String pem) {
        try {
            byte[] der = Base64.getMimeDecoder().decode(pem.replaceAll("-----(BEGIN|END) PUBLIC KEY-----", ""));
            PublicKey key = KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(der));
            if (key instanceof RSAPublicKey rsa && rsa.getModulus().bitLength() >= SHORTEST_MODULUS) {
                return key;
            }
        } catch (GeneralSecurityException | IllegalArgumentException notOne) {
            // Told below.
        }
        throw new InvalidInputException(
                "RS256 needs an RSA public key of at least " + SHORTEST_MODULUS + " bits in PEM (BEGIN PUBLIC KEY)");
    }

    @Override
    public Caller authenticate(Optional<String> token) throws RefusedException {
        String shown = token.orElseThrow(() -> RefusedException.unauthenticated(
                "send a token as authorization: Bearer ..., or in the query as access_token"));
        try {
            return caller(claims(shown));
        } catch (GeneralSecurityException | IllegalArgumentException bad) {
            throw RefusedException.unauthenticated("that is no token of ours");
        }
    }

    /** What the token says, if it is ours. */
    private Map<String, String> claims(String token) throws GeneralSecurityException {
        String[] parts = token.split("\\.", -1);
        if (parts.length != PARTS || token.length() > LONGEST_TOKEN) {
            throw new InvalidInputException("a token has three parts");
        }
        Base64.Decoder base64 = Base64.getUrlDecoder();
        byte[] signed = (parts[0] + '.' + parts[1]).getBytes(StandardCharsets.US_ASCII);
        boolean ours = algorithm.equals(members(base64.decode(parts[0])).get("alg"))
                && check.isOf(base64.decode(parts[2]), signed);
        if (!ours) {
            throw new InvalidInputException("it is not signed by us");
        }
        return members(base64.decode(parts[1]));
    }

    /** Strings and numbers by their names. */
    private static Map<String, String> members(byte[] json) {
        JsonScan scan = new JsonScan(new String(json, StandardCharsets.UTF_8));
        Map<String, String> members = new HashMap<>();
        scan.object(name -> members.put(name, scan.isString() ? scan.string() : scan.raw()));
        scan.end();
        return members;
    }

    private Caller caller(Map<String, String> claims) throws RefusedException {
        Instant until = seconds(claims, "exp");
        Instant now = clock.instant();
        boolean early = claims.containsKey("nbf") && now.isBefore(seconds(claims, "nbf"));
        if (early || !now.isBefore(until)) {
            throw RefusedException.unauthenticated(early ? "your token is not valid yet" : "your token has expired");
        }
        String tenant = claims.getOrDefault("tenant", "");
        if (tenant.isEmpty()) {
            throw RefusedException.unauthenticated("your token names no tenant");
        }
        return new Caller(
                claims.getOrDefault("sub", "?"),
                tenant.equals(ALL_TENANTS) ? Optional.empty() : Optional.of(tenant),
                Optional.of(until));
    }

    private static Instant seconds(Map<String, String> claims, String name) {
        String text = claims.getOrDefault(name, "");
        if (!text.matches("\\d{1,12}(\\.\\d{1,9})?")) {
            throw new InvalidInputException("a token needs the number " + name);
        }
        return Instant.ofEpochSecond((long) Double.parseDouble(text));
    }
}
