package dev.sluice.http;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/** Makes sockets whose output is a {@link FrameGathering}. */
final class GatheringSockets extends SocketFactory {
    @Override
    public Socket createSocket() {
        return new Gathering();
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException("sockets are connected by their client");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw new UnsupportedOperationException("sockets are connected by their client");
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException("sockets are connected by their client");
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) {
        throw new UnsupportedOperationException("sockets are connected by their client");
    }

    private static final class Gathering extends Socket {
        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FrameGathering(super.getOutputStream());
        }
    }
}
