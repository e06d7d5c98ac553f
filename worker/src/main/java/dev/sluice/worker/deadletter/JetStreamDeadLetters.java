package dev.sluice.worker.deadletter;

import dev.sluice.model.InvalidInputException;
import dev.sluice.worker.deadletter.Publishing.Answer;
import dev.sluice.worker.stream.JetStreamApi;
import dev.sluice.worker.stream.StreamRefusedException;
import dev.sluice.worker.stream.StreamUnavailableException;
import io.nats.client.Connection;
import io.nats.client.impl.Headers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Dead letters in a JetStream stream, one message each on {@code <stream>.<group>.<created>.<partition>.<sequence>}. A
 * letter is published with the expectation that its subject has no message yet, so a repeat is refused by the server.
 */
public final class JetStreamDeadLetters implements DeadLetters {
    private static final int TOO_LARGE = 10054;
    private static final int WRONG_LAST_SEQUENCE = 10071;

    /** The stream's limits; resources, memory and storage of the account or the server. */
    private static final Set<Integer> NO_ROOM = Set.of(10077, 10002, 10023, 10028, 10047);

    private static final int MAX_PAGE = 1_000;

    private final Connection connection;
    private final DeadLetterStream stream;
    private final String group;
    private final JetStreamApi api;
    private final LetterMessages messages;
    private final Publishing publishing;
    private final LetterRetry retry;

    /**
     * @param group one token of a subject: letters, digits, {@code _} and {@code -}
     * @param timeout after which a call gives up
     */
    public JetStreamDeadLetters(Connection connection, DeadLetterStream stream, String group, Duration timeout) {
        if (!group.matches("[A-Za-z0-9_-]+")) {
            throw new InvalidInputException("a group with dead letters is named by letters, digits, '_' and '-', not "
                    + InvalidInputException.quote(group));
        }
        this.connection = connection;
        this.stream = stream;
        this.group = group;
        this.api = new JetStreamApi(connection, timeout);
        this.messages = new LetterMessages(api, stream, group);
        this.publishing = new Publishing(connection, timeout);
        this.retry = new LetterRetry(api, publishing, group);
    }

    /**
     * Makes the stream if it is missing, and checks it if it is there.
     *
     * @return warnings about a stream that others have made
     * @throws InvalidInputException when the stream would lose letters
     */
    public List<String> ensure() {
        return stream.ensure(api, group);
    }

    @Override
    public PutOutcome put(DeadLetter letter) {
        try {
            return outcome(letter, published(letter));
        } catch (StreamUnavailableException | StreamRefusedException unanswered) {
            return unavailable(String.valueOf(unanswered.getMessage()));
        }
    }

    /** Publishes the fullest form that the server and the stream take. */
    private Answer published(DeadLetter letter) {
        Answer answer = new Answer.Refused(
                TOO_LARGE, "the message is larger than max_payload of the server, " + connection.getMaxPayload());
        for (LetterForm form : LetterForm.values()) {
            Headers headers = form.headers(letter);
            long bytes = (headers.isEmpty() ? 0 : headers.serializedLength()) + letter.body().length;
            boolean fits = bytes <= connection.getMaxPayload();
            if (fits && form == LetterForm.UNGUARDED && messages.of(letter.id()).isPresent()) {
                return new Answer.Refused(WRONG_LAST_SEQUENCE, "there is a letter already");
            }
            if (fits) {
                answer = publishing.publish(stream.subject(group, letter.id()), headers, letter.body());
            }
            if (!(answer instanceof Answer.Refused refused && refused.code() == TOO_LARGE)) {
                return answer;
            }
        }
        return answer;
    }

    private PutOutcome outcome(DeadLetter letter, Answer answer) {
        return switch (answer) {
            case Answer.Stored stored -> PutOutcome.STORED;
            case Answer.Unknown unknown -> unavailable(unknown.reason());
            case Answer.Refused refused ->
                messages.of(letter.id())
                        .map(kept -> PutOutcome.keptBefore(kept.letter(), letter))
                        .orElseGet(() -> refused(refused));
        };
    }

    private PutOutcome refused(Answer.Refused refused) {
        String reason = "stream " + stream.name() + " refuses a dead letter: " + refused.reason();
        if (refused.code() == TOO_LARGE) {
            return new PutOutcome.Full(reason + ": raise its max_msg_size");
        }
        return NO_ROOM.contains(refused.code())
                ? new PutOutcome.Full(reason + ": delete or retry letters, or raise its limits")
                : unavailable(refused.reason());
    }

    private PutOutcome unavailable(String reason) {
        return new PutOutcome.Unavailable("cannot keep a dead letter in stream " + stream.name() + ": " + reason);
    }

    @Override
    public LetterPage list(long after, int limit) {
        if (limit < 1 || limit > MAX_PAGE) {
            throw new InvalidInputException("a page has 1 to " + MAX_PAGE + " dead letters, not " + limit);
        }
        List<LetterPage.Summary> letters = new ArrayList<>();
        long at = after;
        while (true) {
            Optional<StoredLetter> next = messages.next(at);
            if (next.isEmpty()) {
                return new LetterPage(letters, 0);
            }
            if (letters.size() == limit) {
                return new LetterPage(letters, at);
            }
            letters.add(LetterPage.Summary.of(next.get()));
            at = next.get().position();
        }
    }

    @Override
    public Optional<StoredLetter> show(LetterId id) {
        return messages.of(id);
    }

    @Override
    public RetryOutcome retry(LetterId id) {
        try {
            Optional<StoredLetter> found = show(id);
            if (found.isEmpty()) {
                return new RetryOutcome.Missing();
            }
            RetryOutcome outcome = retry.publish(found.get().letter());
            if (outcome instanceof RetryOutcome.Retried) {
                messages.delete(found.get());
            }
            return outcome;
        } catch (StreamUnavailableException | StreamRefusedException failed) {
            return new RetryOutcome.Failed(
                    failed.getMessage()
                            + "; the letter is still there: retry again, nothing is published twice within the duplicate window");
        }
    }

    @Override
    public boolean delete(LetterId id) {
        return show(id).map(messages::delete).orElse(false);
    }
}
