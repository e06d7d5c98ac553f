package dev.sluice.gateway.web;

import io.helidon.common.parameters.Parameters;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import java.util.Optional;

/** Who may come in: by the page they come from, and by what they show. */
record Doorkeeper(Origins origins, Authenticator authenticator) {
    private static final String BEARER = "Bearer ";

    Caller admit(Headers headers, Parameters query) throws RefusedException {
        origins.check(headers);
        Optional<String> header = headers.first(HeaderNames.AUTHORIZATION)
                .filter(text -> text.startsWith(BEARER))
                .map(text -> text.substring(BEARER.length()));
        Optional<String> token =
                header.isPresent() ? header : query.first("access_token").asOptional();
        return authenticator.authenticate(token);
    }
}
