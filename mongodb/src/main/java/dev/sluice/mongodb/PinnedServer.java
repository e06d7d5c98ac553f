package dev.sluice.mongodb;

import com.mongodb.ServerAddress;
import com.mongodb.connection.ClusterDescription;
import com.mongodb.connection.ServerDescription;
import com.mongodb.selector.ServerSelector;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cursor lives on one server. Where several could answer (the routers of a sharded cluster) this selector keeps
 * choosing the one that was chosen first, as long as it is there.
 */
final class PinnedServer implements ServerSelector {
    private volatile @Nullable ServerAddress pinned;

    @Override
    public List<ServerDescription> select(ClusterDescription cluster) {
        List<ServerDescription> usable = cluster.getServerDescriptions().stream()
                .filter(ServerDescription::isOk)
                .toList();
        if (usable.size() < 2 || !usable.stream().allMatch(ServerDescription::isShardRouter)) {
            return usable;
        }
        ServerDescription chosen = usable.stream()
                .filter(server -> server.getAddress().equals(pinned))
                .findFirst()
                .orElse(usable.getFirst());
        pinned = chosen.getAddress();
        return List.of(chosen);
    }
}
