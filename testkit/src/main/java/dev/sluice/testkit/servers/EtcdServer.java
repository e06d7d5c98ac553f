package dev.sluice.testkit.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** An etcd of one member. */
public final class EtcdServer extends LocalServer {

    private static final SharedServer<EtcdServer> SHARED = new SharedServer<>(EtcdServer::startPrivate);

    private final String peerUrl = "http://127.0.0.1:" + FreePorts.take();

    EtcdServer(ServerPlace place) {
        super("etcd", place);
    }

    public static EtcdServer shared() {
        return SHARED.get();
    }

    public static EtcdServer startPrivate() {
        var server = new EtcdServer(ServerPlace.temporary("etcd"));
        server.start();
        return server;
    }

    @Override
    public String url() {
        return "http://127.0.0.1:" + port();
    }

    @Override
    void prepare() throws IOException {
        Files.createDirectory(place().data());
    }

    @Override
    List<String> command() throws IOException {
        return List.of(
                program().toString(),
                "--name=sluice",
                "--data-dir=" + place().data(),
                "--listen-client-urls=" + url(),
                "--advertise-client-urls=" + url(),
                "--listen-peer-urls=" + peerUrl,
                "--initial-advertise-peer-urls=" + peerUrl,
                "--initial-cluster=sluice=" + peerUrl);
    }

    private static Path program() throws IOException {
        var installed = new ProgramOnPath("etcd").find(version -> version.isAtLeast(3, 5));
        return installed.isPresent()
                ? installed.get()
                : new DebianPackage("etcd-server", "trixie").unpacked().resolve("usr/bin/etcd");
    }

    @Override
    String readyLine() {
        return "ready to serve client requests";
    }

    @Override
    String remedy() {
        return "install etcd 3.5 or newer on the PATH, or " + DebianPackage.REMEDY;
    }
}
