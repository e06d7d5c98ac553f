package dev.sluice.server.worker;

import dev.sluice.worker.MessageContext;
import dev.sluice.worker.MessageHandler;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.stream.StreamMessage;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards each message to the receiver, and is done when the receiver has acknowledged it. While the receiver is away the
 * message is tried again without counting attempts: an outage would otherwise turn every message into a dead letter.
 */
final class ForwardingHandler implements MessageHandler, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.worker");

    private final Receiver receiver;
    private final AtomicReference<Optional<String>> away = new AtomicReference<>(Optional.empty());

    ForwardingHandler(Receiver receiver) {
        this.receiver = receiver;
    }

    @Override
    public Outcome handle(MessageContext context, StreamMessage message) throws InterruptedException {
        Receiver.Answer answer = receiver.send(context, message);
        if (answer instanceof Receiver.Answer.Away silent) {
            isAway(silent.reason());
        } else {
            answered();
        }
        return switch (answer) {
            case Receiver.Answer.Accepted accepted -> Outcome.done();
            case Receiver.Answer.Refused refused -> Outcome.reject(refused.reason());
            case Receiver.Answer.Failed failed -> Outcome.retry(failed.reason());
            case Receiver.Answer.Away silent -> Outcome.later(silent.reason());
        };
    }

    private void answered() {
        if (away.getAndSet(Optional.empty()).isPresent()) {
            LOG.info("the receiver answers again");
        }
    }

    private void isAway(String reason) {
        if (away.getAndSet(Optional.of(reason)).isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("reason", reason)
                    .log("the receiver does not answer; messages wait and are tried again");
        }
    }

    /** Why the receiver takes nothing at the moment; empty when its last answer was one. */
    Optional<String> away() {
        return away.get();
    }

    @Override
    public void close() {
        receiver.close();
    }
}
