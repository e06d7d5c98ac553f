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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Lets in who shows a JSON Web Token signed with the one algorithm and one of the keys it was made with: HS256 and secrets,
 * or RS256 and public keys. Several, so that one can be replaced while tokens of the other live. A token says until when it is valid ({@code exp}; seconds since 1970) and whose changes its bearer may
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
    private final List<Check> checks;
    private final Clock clock;

    private JwtAuthenticator(String algorithm, List<Check> checks, Clock clock) {
        if (checks.isEmpty()) {
            throw new InvalidInputException("nobody's tokens could be checked: give at least one key");
        }
        this.algorithm = algorithm;
        this.checks = checks;
        this.clock = clock;
    }

    /** @param secret at least 32 bytes that nobody can guess */
    public static JwtAuthenticator hs256(byte[] secret, Clock clock) {
        return hs256(List.of(secret), clock);
    }

    /** @param secrets each of which a token may be signed with, of at least 32 bytes that nobody can guess */
    public static JwtAuthenticator hs256(List<byte[]> secrets, Clock clock) {
        return new JwtAuthenticator(
                "HS256", secrets.stream().map(JwtAuthenticator::ofSecret).toList(), clock);
    }

    private static Check ofSecret(byte[] secret) {
        if (secret.length < SHORTEST_SECRET) {
            throw new InvalidInputException("a secret for HS256 has at least " + SHORTEST_SECRET
                    + " bytes; make one with: openssl rand -hex 32");
        }
        SecretKeySpec key = new SecretKeySpec(secret, "HmacSHA256");
        return (signature, signed) -> isMac(key, signature, signed);
    }

    private static boolean isMac(SecretKeySpec key, byte[] signature, byte[] signed) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(key);
        return MessageDigest.isEqual(mac.doFinal(signed), signature);
    }

    /** @param pem an RSA public key of 2048 bits or more, as {@code openssl rsa -pubout} writes it */
    public static JwtAuthenticator rs256(String pem, Clock clock) {
        return rs256(List.of(pem), clock);
    }

    /** @param pems each of which a token may be signed for */
    public static JwtAuthenticator rs256(List<String> pems, Clock clock) {
        return new JwtAuthenticator(
                "RS256", pems.stream().map(JwtAuthenticator::ofPublicKey).toList(), clock);
    }

    private static Check ofPublicKey(String pem) {
        PublicKey key = publicKey(pem);
        return (signature, signed) -> isSignature(key, signature, signed);
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
                && isSigned(base64.decode(parts[2]), signed);
        if (!ours) {
            throw new InvalidInputException("it is not signed by us");
        }
        return members(base64.decode(parts[1]));
    }

    private boolean isSigned(byte[] signature, byte[] signed) throws GeneralSecurityException {
        for (Check check : checks) {
            if (check.isOf(signature, signed)) {
                return true;
            }
        }
        return false;
    }

    /** Strings and numbers by their names; a null is as good as nothing. */
    private static Map<String, String> members(byte[] json) {
        JsonScan scan = new JsonScan(new String(json, StandardCharsets.UTF_8));
        Map<String, String> members = new HashMap<>();
        scan.object(name -> {
            boolean text = scan.isString();
            String value = text ? scan.string() : scan.raw();
            if (text || !value.equals("null")) {
                members.put(name, value);
            }
        });
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
