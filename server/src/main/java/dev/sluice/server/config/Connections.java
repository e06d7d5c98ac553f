package dev.sluice.server.config;

import com.mongodb.ConnectionString;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;

/** Whether those who will use an address could read it. Connects to nothing, asks no name server, and shows no secret. */
final class Connections {
    private static final List<String> DATABASES = List.of("jdbc:postgresql:", "jdbc:mariadb:", "jdbc:h2:");

    private Connections() {}

    static boolean isReadable(StorageConfig.Backend backend) {
        return switch (backend.type()) {
            case MONGODB -> isMongo(backend.connection().reveal());
            case OUTBOX -> DATABASES.stream().anyMatch(backend.connection()::startsWith);
        };
    }

    /** The driver would look up the name of mongodb+srv while reading: the same text without that says enough. */
    private static boolean isMongo(String text) {
        if (text.contains("srvMaxHosts=") || text.contains("srvServiceName=")) {
            return true;
        }
        try {
            new ConnectionString(text.replaceFirst("^mongodb\\+srv://", "mongodb://"));
            return true;
        } catch (RuntimeException unreadable) {
            return false;
        }
    }

    static boolean isHttpAddress(dev.sluice.server.config.yaml.ConnectionString endpoint) {
        try {
            var address = new URI(endpoint.reveal());
            return address.getHost() != null && (endpoint.startsWith("http://") || endpoint.startsWith("https://"));
        } catch (URISyntaxException unreadable) {
            return false;
        }
    }
}
