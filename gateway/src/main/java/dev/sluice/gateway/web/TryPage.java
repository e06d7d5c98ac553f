package dev.sluice.gateway.web;

import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * {@code GET /try}: one page that needs nothing but {@code /sluice.js}. Nothing but its own script and that one run on it,
 * whatever a document says.
 */
final class TryPage implements Handler {
    private final byte[] page;
    private final String policy;

    TryPage() {
        try (InputStream resource = TryPage.class.getResourceAsStream("try.html")) {
            if (resource == null) {
                throw new IllegalStateException("try.html is missing beside " + TryPage.class.getName());
            }
            page = resource.readAllBytes();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        String html = new String(page, StandardCharsets.UTF_8);
        policy = "default-src 'none'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors 'none'; script-src " + hash(html, "script") + " 'self'; style-src "
                + hash(html, "style");
    }

    private static String hash(String html, String element) {
        int start = html.indexOf('<' + element + '>') + element.length() + 2;
        byte[] inside =
                html.substring(start, html.indexOf("</" + element + '>')).getBytes(StandardCharsets.UTF_8);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(inside);
            return "'sha256-" + Base64.getEncoder().encodeToString(digest) + '\'';
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JDK has SHA-256", impossible);
        }
    }

    @Override
    public void handle(ServerRequest request, ServerResponse response) {
        response.header(HeaderNames.CONTENT_TYPE, "text/html; charset=utf-8")
                .header(HeaderNames.CACHE_CONTROL, "no-cache")
                .header(HeaderNames.create("Content-Security-Policy"), policy)
                .header(HeaderNames.create("X-Content-Type-Options"), "nosniff")
                .header(HeaderNames.create("Referrer-Policy"), "no-referrer")
                .send(page);
    }
}
