package dev.sluice.testkit.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Loopback ports for servers, none given out twice in this JVM. They lie below Linux's range for outgoing connections, so
 * that a stopped server finds its port still free when it starts again.
 */
public final class FreePorts {

    private static final int FIRST = 10_000;
    private static final int END = 32_000;
    private static final Set<Integer> TAKEN = ConcurrentHashMap.newKeySet();

    private FreePorts() {}

    public static int take() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            if (isFree(port) && TAKEN.add(port)) {
                return port;
            }
        }
    }

    /** That port, or the first free one after it. */
    static int from(int preferred) {
        int port = preferred;
        while (!isFree(port)) {
            port++;
        }
        return port;
    }

    private static boolean isFree(int port) {
        try (var socket = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
