package dev.sluice.worker.deadletter;

import dev.sluice.worker.partition.OriginalSubject;
import dev.sluice.worker.stream.JetStreamApi;
import dev.sluice.worker.stream.StreamState.Transform;
import io.nats.client.impl.Headers;
import io.nats.client.support.JsonValue;
import io.nats.client.support.JsonValueUtils;
import java.util.List;

/** Publishes the message of a dead letter again, to the subject it was published to first. */
record LetterRetry(JetStreamApi api, Publishing publishing, String group) {
    private static final String MESSAGE_ID = "Nats-Msg-Id";
    private static final String EXPECTED_STREAM = "Nats-Expected-Stream";

    RetryOutcome publish(DeadLetter letter) {
        if (letter.subject().isEmpty() || letter.stream().isEmpty()) {
            return new RetryOutcome.Failed("the letter does not say where its message came from: it was too large for"
                    + " that. Publish the body by hand, then delete the letter");
        }
        String subject;
        Headers headers;
        try {
            subject = OriginalSubject.of(transforms(letter.stream()), letter.subject());
            headers = headers(letter);
        } catch (IllegalArgumentException unfit) {
            return new RetryOutcome.Failed(String.valueOf(unfit.getMessage()));
        }
        return switch (publishing.publish(subject, headers, letter.body())) {
            case Publishing.Answer.Stored stored ->
                new RetryOutcome.Retried(subject, stored.sequence(), stored.duplicate());
            case Publishing.Answer.Refused refused ->
                new RetryOutcome.Failed("stream " + letter.stream() + " refuses the message: " + refused.reason());
            case Publishing.Answer.Unknown unknown ->
                new RetryOutcome.Failed(
                        unknown.reason()
                                + "; the letter is still there: retry again, nothing is published twice within the duplicate window");
        };
    }

    private List<Transform> transforms(String stream) {
        JsonValue config = JsonValueUtils.readObject(api.request("STREAM.INFO." + stream, ""), "config");
        JsonValue transform = JsonValueUtils.readObject(config, "subject_transform");
        String source = JsonValueUtils.readString(transform, "src", "");
        String destination = JsonValueUtils.readString(transform, "dest", "");
        return destination.isEmpty() ? List.of() : List.of(new Transform(source.isEmpty() ? ">" : source, destination));
    }

    /**
     * The headers of the message, but none that act on JetStream: an old expectation or a rollup would do harm.
     *
     * @throws IllegalArgumentException when one of them has characters that jnats does not send
     */
    private Headers headers(DeadLetter letter) {
        Headers headers = new Headers();
        letter.headers().forEach((name, values) -> {
            if (!LetterForm.isReserved(name)) {
                headers.put(name, values);
            }
        });
        return headers.put(MESSAGE_ID, "sluice-retry-" + group + "-" + letter.id())
                .put(EXPECTED_STREAM, letter.stream());
    }
}
