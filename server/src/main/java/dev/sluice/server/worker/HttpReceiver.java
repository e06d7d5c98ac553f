package dev.sluice.server.worker;

import dev.sluice.http.HttpForward;
import dev.sluice.worker.MessageContext;
import dev.sluice.worker.stream.StreamMessage;

/**
 * Posts messages to a URL. A status of 2xx acknowledges, 400, 413 and 422 reject for good. A status that accuses the address,
 * the login or the moment, and not the message, counts as a receiver that is away.
 */
final class HttpReceiver implements Receiver {
    private final String stream;
    private final HttpForward http;

    HttpReceiver(String stream, HttpForward http) {
        this.stream = stream;
        this.http = http;
    }

    @Override
    public Answer send(MessageContext context, StreamMessage message) throws InterruptedException {
        var headers = ForwardedHeaders.forHttp(stream, context, message);
        return switch (http.post(message.data(), ForwardedHeaders.contentType(message), headers)) {
            case HttpForward.Answer.None none -> new Answer.Away(none.reason());
            case HttpForward.Answer.Status status -> read(status);
        };
    }

    private static Answer read(HttpForward.Answer.Status status) {
        String said = "HTTP " + status.code() + (status.text().isEmpty() ? "" : ": " + status.text());
        return switch (status.code()) {
            case 400, 413, 422 -> new Answer.Refused(said);
            case 401, 403, 404, 405, 407, 408, 421, 425, 429, 502, 503, 504 -> new Answer.Away(said);
            default -> ofClass(status.code() / 100, said);
        };
    }

    private static Answer ofClass(int hundreds, String said) {
        return switch (hundreds) {
            case 2 -> Answer.ACCEPTED;
            case 3 -> new Answer.Away(said + " (a redirect: set the URL it leads to)");
            default -> new Answer.Failed(said);
        };
    }

    @Override
    public void close() {
        http.close();
    }
}
