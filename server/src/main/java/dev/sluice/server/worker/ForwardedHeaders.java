package dev.sluice.server.worker;

import dev.sluice.deliver.HeaderText;
import dev.sluice.worker.MessageContext;
import dev.sluice.worker.stream.StreamMessage;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Headers of a forwarded message: its own, and ours ({@code Sluice-…}), which say what it is and prove who sends it. Values
 * of ours are printable ASCII, other characters as {@code %XX}.
 */
final class ForwardedHeaders {
    private static final String OURS = "sluice-";
    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
    private static final String TEXT = "[\\x20-\\x7e]*";

    /** What HTTP itself uses, and what would speak for this worker. */
    private static final Set<String> OF_THE_CONNECTION = Set.of(
            "authorization",
            "connection",
            "content-length",
            "content-type",
            "cookie",
            "date",
            "expect",
            "host",
            "http2-settings",
            "keep-alive",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");

    private ForwardedHeaders() {}

    static Map<String, String> forHttp(String stream, MessageContext context, StreamMessage message) {
        return all(stream, context, message, name -> !OF_THE_CONNECTION.contains(name) && !name.startsWith("proxy-"));
    }

    /** Without {@code Nats-…}, which ask something of the stream they go to. */
    static Map<String, String> forNats(String stream, MessageContext context, StreamMessage message) {
        return all(stream, context, message, name -> !name.startsWith("nats-"));
    }

    private static Map<String, String> all(
            String stream, MessageContext context, StreamMessage message, Predicate<String> wanted) {
        Map<String, String> headers = new LinkedHashMap<>();
        message.headers().forEach((name, values) -> {
            String value = String.join(", ", values);
            String lower = name.toLowerCase(Locale.ROOT);
            if (wanted.test(lower) && !lower.startsWith(OURS) && name.matches(TOKEN) && value.matches(TEXT)) {
                headers.put(name, value);
            }
        });
        headers.put("Sluice-Stream", HeaderText.of(stream));
        headers.put("Sluice-Sequence", String.valueOf(message.sequence()));
        headers.put("Sluice-Subject", HeaderText.of(context.subject()));
        headers.put("Sluice-Partition", HeaderText.of(context.partition()));
        headers.put("Sluice-Worker", HeaderText.of(context.worker()));
        headers.put("Sluice-Attempt", String.valueOf(context.attempt()));
        headers.put(
                "Sluice-Fencing-Token",
                context.token().generation() + "." + context.token().epoch());
        return headers;
    }

    /** As the message's own header says; else bytes. */
    static String contentType(StreamMessage message) {
        return message.headers().entrySet().stream()
                .filter(header -> header.getKey().equalsIgnoreCase("content-type"))
                .flatMap(header -> header.getValue().stream())
                .filter(value -> value.matches("[\\w.+-]+/[\\w.+-]+(;[\\x20-\\x7e]*)?"))
                .findFirst()
                .orElse("application/octet-stream");
    }
}
