package dev.sluice.server.worker;

import dev.sluice.deliver.Reason;
import dev.sluice.model.InvalidInputException;
import dev.sluice.server.config.WorkerHandler;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.SubjectTransform;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The stream a worker consumes, looked at before the start. */
final class OwnStream {
    private OwnStream() {}

    /** @throws InvalidInputException when there is no such stream, or messages would be forwarded into it again */
    static void check(Connection nats, String stream, WorkerHandler handler) throws IOException {
        List<String> subjects = subjects(configuration(nats, stream));
        handler.subject().map(TargetSubject::new).ifPresent(target -> target.requireOutside(stream, subjects));
    }

    private static StreamConfiguration configuration(Connection nats, String stream) throws IOException {
        try {
            return nats.jetStreamManagement().getStreamInfo(stream).getConfiguration();
        } catch (JetStreamApiException refused) {
            throw new InvalidInputException("cannot use the stream " + stream + " (worker.stream): "
                    + Reason.of(refused) + "; make it, or name one that nats stream ls shows");
        }
    }

    /** What it takes, and what its transform makes of that. */
    private static List<String> subjects(StreamConfiguration configuration) {
        List<String> subjects = new ArrayList<>(configuration.getSubjects());
        SubjectTransform transform = configuration.getSubjectTransform();
        if (transform != null && transform.getDestination() != null) {
            subjects.add(transform.getDestination().replaceAll("\\{\\{.*?}}", "*"));
        }
        return subjects;
    }
}
