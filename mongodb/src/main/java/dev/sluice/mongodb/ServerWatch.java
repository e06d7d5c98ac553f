package dev.sluice.mongodb;

import com.mongodb.ServerAddress;
import com.mongodb.connection.ClusterDescription;
import com.mongodb.connection.ServerDescription;
import com.mongodb.event.ClusterDescriptionChangedEvent;
import com.mongodb.event.ClusterListener;
import com.mongodb.event.ServerDescriptionChangedEvent;
import com.mongodb.event.ServerListener;
import dev.sluice.capture.SourceFailure;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the driver's monitors know about the servers. The driver itself tells it only in a timeout whose message holds the whole
 * cluster description; here it is available at once and in one sentence. Any thread may ask.
 */
final class ServerWatch implements ClusterListener, ServerListener {
    private volatile @Nullable String wantedSet;
    /** The replica set that each server says to belong to; the driver forgets servers of another set than the wanted one. */
    private final Map<ServerAddress, String> sets = new ConcurrentHashMap<>();

    private volatile @Nullable ClusterDescription cluster;

    /**
     * Forgets everything, for a new client.
     *
     * @param set the replica set that the connection string names; null when it names none
     */
    void begin(@Nullable String set) {
        wantedSet = set;
        cluster = null;
        sets.clear();
    }

    @Override
    public void clusterDescriptionChanged(ClusterDescriptionChangedEvent event) {
        cluster = event.getNewDescription();
    }

    @Override
    public void serverDescriptionChanged(ServerDescriptionChangedEvent event) {
        ServerDescription server = event.getNewDescription();
        if (server.isOk()) {
            sets.put(server.getAddress(), server.getSetName() == null ? "" : server.getSetName());
        }
    }

    /** The server that commands go to now; null while there is none, and in a sharded cluster with several routers. */
    @Nullable
    ServerAddress primary() {
        List<ServerDescription> primaries =
                servers().stream().filter(ServerDescription::isPrimary).toList();
        return primaries.size() == 1 ? primaries.getFirst().getAddress() : null;
    }

    /**
     * Why a command gets no reply, as far as the monitors know; null when they know of no trouble.
     *
     * @param asked where the command was sent; null when that is not known
     */
    @Nullable
    SourceFailure trouble(@Nullable ServerAddress asked) {
        String otherSet = otherSet();
        if (otherSet != null) {
            return new SourceFailure.Misconfigured(otherSet);
        }
        List<ServerDescription> concerned = servers().stream()
                .filter(server -> asked == null || server.getAddress().equals(asked))
                .toList();
        if (asked != null && concerned.isEmpty()) {
            return new SourceFailure.Retryable(asked + " is no longer a member of the replica set");
        }
        boolean allFail = !concerned.isEmpty() && concerned.stream().allMatch(server -> server.getException() != null);
        return allFail ? new SourceFailure.Retryable(describe(concerned)) : null;
    }

    /** Why no server could be selected before the time limit. */
    SourceFailure unselectable() {
        SourceFailure trouble = trouble(null);
        return trouble != null ? trouble : new SourceFailure.Retryable("no primary: " + describe(servers()));
    }

    private @Nullable String otherSet() {
        String wanted = wantedSet;
        if (wanted == null || sets.isEmpty() || sets.containsValue(wanted)) {
            return null;
        }
        Map.Entry<ServerAddress, String> one = sets.entrySet().iterator().next();
        String found = one.getValue().isEmpty()
                ? "no member of a replica set"
                : "a member of replica set '" + one.getValue() + "'";
        return one.getKey() + " is " + found + ", and the connection asks for '" + wanted
                + "': correct replicaSet in the connection";
    }

    private List<ServerDescription> servers() {
        ClusterDescription known = cluster;
        return known == null ? List.of() : known.getServerDescriptions();
    }

    private static String describe(List<ServerDescription> servers) {
        return servers.isEmpty()
                ? "no server is known"
                : servers.stream().map(ServerWatch::describe).collect(Collectors.joining("; "));
    }

    private static String describe(ServerDescription server) {
        Throwable failure = server.getException();
        return server.getAddress() + ": "
                + (failure == null
                        ? server.getType().name().toLowerCase(Locale.ROOT).replace('_', ' ')
                        : MongoFailures.rootCause(failure));
    }
}
