package dev.sluice.testkit.faults;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A server behind the proxy: hands each connection to the test, which plays the server's part itself. */
final class RecordingServer implements AutoCloseable {

    private final ServerSocket listener;
    private final Thread acceptor;
    private final BlockingQueue<Socket> accepted = new LinkedBlockingQueue<>();

    RecordingServer() throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        acceptor = Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    accepted.add(listener.accept());
                }
            } catch (IOException closed) {
                // The test is over.
            }
        });
    }

    int port() {
        return listener.getLocalPort();
    }

    Socket next() throws InterruptedException {
        Socket socket = accepted.poll(10, TimeUnit.SECONDS);
        if (socket == null) {
            throw new AssertionError("no connection reached the server");
        }
        return socket;
    }

    /** Reads to the end of the stream, in the background, so that a sender is never held up by the test. */
    static CompletableFuture<byte[]> drain(Socket socket) {
        var all = new CompletableFuture<byte[]>();
        Thread.ofVirtual().start(() -> {
            try {
                InputStream in = socket.getInputStream();
                all.complete(in.readAllBytes());
            } catch (IOException e) {
                all.completeExceptionally(e);
            }
        });
        return all;
    }

    @Override
    public void close() throws IOException {
        listener.close();
        joinAcceptor();
        for (Socket socket : accepted) {
            socket.close();
        }
    }

    /** The port is closed only when the thread that waits for clients has left it. */
    private void joinAcceptor() {
        try {
            acceptor.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
