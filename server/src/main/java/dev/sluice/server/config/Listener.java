package dev.sluice.server.config;

import dev.sluice.net.ListenAddress;
import dev.sluice.net.Protection;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * One socket the configuration asks for.
 *
 * @param key the setting that says where, for messages
 * @param asksItself whoever connects there shows another credential than the token
 */
public record Listener(String key, ListenAddress address, boolean asksItself) {
    public Listener(String key, ListenAddress address) {
        this(key, address, false);
    }

    /** All of them, in the order of the file's sections. */
    public static List<Listener> of(SluiceConfig config) {
        return List.of(
                new Listener("puller.grpc.address", config.puller().grpc().address()),
                new Listener("puller.metrics.port", config.puller().metrics().address()),
                new Listener("puller.health.port", config.puller().health().address()),
                new Listener("routing.grpc.address", config.routing().grpc().address()),
                new Listener(
                        "gateway.address",
                        config.gateway().address(),
                        config.gateway().jwt().isSet()),
                new Listener("gateway.receive", config.gateway().receive()));
    }

    Protection protection(SecurityConfig security) {
        var all = security.protection();
        return new Protection(all.tls(), all.credential() || asksItself, all.insecure());
    }

    /** The setting that says on which interface. */
    String hostKey() {
        return key.endsWith(".port") ? key.substring(0, key.length() - "port".length()) + "host" : key;
    }

    boolean clashesWith(Listener other) {
        return address.port() != 0 && address.port() == other.address.port() && sharesAnInterfaceWith(other);
    }

    private boolean sharesAnInterfaceWith(Listener other) {
        var mine = interfaces();
        var theirs = other.interfaces();
        return mine.stream().anyMatch(InetAddress::isAnyLocalAddress)
                || theirs.stream().anyMatch(InetAddress::isAnyLocalAddress)
                || mine.stream().anyMatch(theirs::contains);
    }

    /** Resolved, because {@code localhost} is {@code 127.0.0.1}; none for an unknown host, which is reported elsewhere. */
    private List<InetAddress> interfaces() {
        try {
            return List.of(InetAddress.getAllByName(address.host()));
        } catch (UnknownHostException reported) {
            return List.of();
        }
    }
}
