package dev.sluice.gateway.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.InvalidInputException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JwtAuthenticatorTest {
    private static final Instant NOW = Instant.ofEpochSecond(1_000_000);
    private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);
    private static final String GOOD = "{\"sub\":\"ann\",\"tenant\":\"acme\",\"exp\":1000060,\"roles\":[\"x\"]}";

    private final JwtAuthenticator hs256 = JwtAuthenticator.hs256(Tokens.SECRET, CLOCK);

    private void assertRefused(Authenticator authenticator, String token, String reason) {
        assertThatThrownBy(() -> authenticator.authenticate(Optional.of(token)))
                .isInstanceOf(RefusedException.class)
                .hasMessage(reason)
                .extracting(e -> ((RefusedException) e).status().code())
                .isEqualTo(401);
    }

    @Test
    void aGoodTokenSaysWhoAndWhichTenantAndUntilWhen() throws Exception {
        Caller caller = hs256.authenticate(Optional.of(Tokens.hs256(GOOD)));
        assertThat(caller).isEqualTo(new Caller("ann", Optional.of("acme"), Optional.of(NOW.plusSeconds(60))));
        assertThat(caller.isOver(Clock.offset(CLOCK, Duration.ofSeconds(59)))).isFalse();
        assertThat(caller.isOver(Clock.offset(CLOCK, Duration.ofSeconds(60)))).isTrue();
    }

    @Test
    void theTenantOfTheTokenBindsEverySubscription() throws Exception {
        Caller caller = hs256.authenticate(Optional.of(Tokens.hs256(GOOD)));
        assertThat(caller.tenantOf("")).isEqualTo("acme");
        assertThat(caller.tenantOf("acme")).isEqualTo("acme");
        assertThatThrownBy(() -> caller.tenantOf("umbrella")).isInstanceOf(RefusedException.class);
        Caller all = hs256.authenticate(Optional.of(Tokens.hs256("{\"tenant\":\"*\",\"exp\":1000060}")));
        assertThat(all.tenantOf("umbrella")).isEqualTo("umbrella");
        assertThat(all.tenantOf("")).isEmpty();
    }

    @Test
    void noTokenIsRefused() {
        assertThatThrownBy(() -> hs256.authenticate(Optional.empty())).hasMessageContaining("Bearer");
    }

    @Test
    void whatIsOverOrNotYetOrHasNoEndIsRefused() throws Exception {
        assertRefused(hs256, Tokens.hs256("{\"tenant\":\"acme\",\"exp\":1000000}"), "your token has expired");
        assertRefused(
                hs256,
                Tokens.hs256("{\"tenant\":\"acme\",\"exp\":1000060,\"nbf\":1000001}"),
                "your token is not valid yet");
        assertRefused(hs256, Tokens.hs256("{\"tenant\":\"acme\"}"), "that is no token of ours");
        assertRefused(hs256, Tokens.hs256("{\"tenant\":\"acme\",\"exp\":\"soon\"}"), "that is no token of ours");
        assertRefused(hs256, Tokens.hs256("{\"exp\":1000060}"), "your token names no tenant");
        assertRefused(hs256, Tokens.hs256("{\"exp\":1000060,\"tenant\":null}"), "your token names no tenant");
        assertRefused(hs256, Tokens.hs256("{\"exp\":null,\"tenant\":\"acme\"}"), "that is no token of ours");
    }

    @Test
    void whatIsNotSignedByUsIsRefused() throws Exception {
        String good = Tokens.hs256(GOOD);
        byte[] another = "another secret of thirty-two byte".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        assertRefused(hs256, Tokens.hs256(another, "{\"alg\":\"HS256\"}", GOOD), "that is no token of ours");
        assertRefused(hs256, Tokens.unsigned("{\"alg\":\"none\"}", GOOD), "that is no token of ours");
        assertRefused(hs256, Tokens.unsigned("{\"alg\":\"HS256\"}", GOOD), "that is no token of ours");
        assertRefused(hs256, Tokens.hs256(Tokens.SECRET, "{\"alg\":\"none\"}", GOOD), "that is no token of ours");
        assertRefused(hs256, Tokens.hs256(Tokens.SECRET, "{}", GOOD), "that is no token of ours");
        String[] parts = good.split("\\.");
        String greedy = parts[0] + '.' + Tokens.part(GOOD.replace("acme", "umbrella")) + '.' + parts[2];
        assertRefused(hs256, greedy, "that is no token of ours");
        for (String garbage : new String[] {"", "..", "a.b", "a.b.c.d", "é.é.é", good + "x", "x".repeat(10_000)}) {
            assertRefused(hs256, garbage, "that is no token of ours");
        }
    }

    @Test
    void anRsaKeyWorksAndItsPublicHalfIsNoSecretForHs256() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        KeyPair pair = generator.generateKeyPair();
        String pem = "-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder().encodeToString(pair.getPublic().getEncoded())
                + "\n-----END PUBLIC KEY-----\n";
        JwtAuthenticator rs256 = JwtAuthenticator.rs256(pem, CLOCK);
        assertThat(rs256.authenticate(Optional.of(Tokens.rs256(pair.getPrivate(), GOOD)))
                        .name())
                .isEqualTo("ann");
        byte[] publicText = pem.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        assertRefused(rs256, Tokens.hs256(publicText, "{\"alg\":\"HS256\"}", GOOD), "that is no token of ours");
        assertRefused(rs256, Tokens.hs256(publicText, "{\"alg\":\"RS256\"}", GOOD), "that is no token of ours");
    }

    @Test
    void whileAKeyIsReplacedTokensOfBothAreTaken() throws Exception {
        byte[] next = "another secret of thirty-two byte".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        String ofNext = Tokens.hs256(next, "{\"alg\":\"HS256\"}", GOOD);
        JwtAuthenticator both = JwtAuthenticator.hs256(List.of(next, Tokens.SECRET), CLOCK);
        assertThat(both.authenticate(Optional.of(ofNext)).name()).isEqualTo("ann");
        assertThat(both.authenticate(Optional.of(Tokens.hs256(GOOD))).name()).isEqualTo("ann");
        assertRefused(JwtAuthenticator.hs256(next, CLOCK), Tokens.hs256(GOOD), "that is no token of ours");
        assertThatThrownBy(() -> JwtAuthenticator.hs256(List.of(), CLOCK)).isInstanceOf(InvalidInputException.class);
    }

    @Test
    void keysThatAreTooWeakAreRefused() {
        assertThatThrownBy(() -> JwtAuthenticator.hs256(new byte[16], CLOCK))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("32 bytes");
        assertThatThrownBy(() -> JwtAuthenticator.rs256("nonsense", CLOCK))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("BEGIN PUBLIC KEY");
    }
}
