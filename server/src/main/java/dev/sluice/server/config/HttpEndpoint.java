package dev.sluice.server.config;

import dev.sluice.net.ListenAddress;
import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Setting;

/** A small HTTP server with one well-known path. */
public sealed interface HttpEndpoint {

    String host();

    int port();

    String path();

    default ListenAddress address() {
        return new ListenAddress(host(), port());
    }

    record Metrics(
            @Setting(fallback = "127.0.0.1", meaning = "Where Prometheus may scrape.")
            String host,

            @Setting(fallback = "9090", meaning = "0 takes any free port.")
            int port,

            @Setting(fallback = "/metrics", meaning = "Path of the metrics.")
            String path)
            implements HttpEndpoint {

        public Metrics {
            validate(host, port, path);
        }
    }

    record Health(
            @Setting(fallback = "127.0.0.1", meaning = "Where health and the admin API listen.")
            String host,

            @Setting(fallback = "8080", meaning = "0 takes any free port.")
            int port,

            @Setting(fallback = "/health", meaning = "Path of the health report.")
            String path)
            implements HttpEndpoint {

        public Health {
            validate(host, port, path);
        }
    }

    private static void validate(String host, int port, String path) {
        new Rules()
                .notBlank(host, "host")
                .between(0, 65535, port, "port")
                .httpPath(path, "path")
                .enforce();
    }
}
