package dev.sluice.net;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * The one place that decides where Sluice listens (promise 5). Servers that open their own sockets (gRPC, HTTP) take
 * the address they bind from {@link #permit}; our own sockets come from {@link #open}. A test of the whole code base
 * keeps it that way.
 */
public final class Listening {
    private Listening() {}

    /**
     * The resolved address to bind, if that is allowed: loopback always, anything else only with TLS and a
     * credential, or with {@code insecure: true}.
     *
     * @param what the server's name for the message, such as {@code puller.grpc}
     * @throws BindRefusedException saying what to change
     */
    public static InetSocketAddress permit(String what, ListenAddress address, Protection protection) {
        InetAddress[] resolved = resolve(what, address.host());
        boolean loopback = Arrays.stream(resolved).allMatch(InetAddress::isLoopbackAddress);
        if (!loopback && !protection.sufficesForStrangers()) {
            throw new BindRefusedException(what + " may not listen on " + address
                    + ", which others can reach, without TLS and a credential: configure both under 'security', bind to "
                    + ListenAddress.LOOPBACK + ", or set 'security.insecure: true' if the network itself is trusted");
        }
        return new InetSocketAddress(resolved[0], address.port());
    }

    /** A bound server socket on an address that {@link #permit} allows. */
    public static ServerSocket open(String what, ListenAddress address, Protection protection) throws IOException {
        InetSocketAddress permitted = permit(what, address, protection);
        ServerSocket socket = new ServerSocket();
        try {
            socket.setReuseAddress(true);
            socket.bind(permitted, BACKLOG);
            return socket;
        } catch (BindException inUse) {
            socket.close();
            throw new BindRefusedException(what + " cannot listen on " + address + " (" + inUse.getMessage()
                    + "): stop what uses the port, or configure another");
        } catch (IOException | RuntimeException failed) {
            socket.close();
            throw failed;
        }
    }

    private static final int BACKLOG = 512;

    private static InetAddress[] resolve(String what, String host) {
        try {
            return InetAddress.getAllByName(host);
        } catch (UnknownHostException unknown) {
            throw new BindRefusedException(
                    what + " cannot listen on host '" + host + "', which has no address on this machine");
        }
    }
}
