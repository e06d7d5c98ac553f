package dev.sluice.server.puller;

import dev.sluice.server.config.SluiceConfig;
import dev.sluice.stream.StreamMeter;
import java.util.ArrayList;
import java.util.List;

/** What the Puller's components are made with. */
public final class PullerWiring {
    private PullerWiring() {}

    public static List<Object> of(SluiceConfig config) {
        var puller = config.puller();
        var made = new ArrayList<Object>(BackendSettings.of(config));
        var storage = config.storage().backends().getFirst();
        var watched = puller.backends().getFirst();
        made.add(BackendSettings.mongo(puller, watched, storage));
        made.add(BackendSettings.outbox(config, watched));
        made.add(ServerSettings.options(puller, ServerSettings.limits(puller), StreamMeter.NONE));
        made.add(ServerSettings.security(config.security()));
        return made;
    }
}
