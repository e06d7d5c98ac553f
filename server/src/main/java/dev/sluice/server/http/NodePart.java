package dev.sluice.server.http;

import io.helidon.webserver.http.HttpRouting;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;

/** What one role shows of itself on the node's HTTP ports. */
public interface NodePart {
    /** As in {@code --role}. */
    String role();

    List<HealthPart> health();

    /** Why it cannot take traffic now; empty when it can. */
    default Optional<String> notReady() {
        return Optional.empty();
    }

    /** Its own paths, beside those every node has. */
    void routes(HttpRouting.Builder routes);

    /** What it adds to {@code /admin/v1/status}. */
    BsonDocument status();
}
