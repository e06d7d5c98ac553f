package dev.sluice.testkit.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An etcd of one member. */
public final class EtcdServer extends LocalServer {

    private static final SharedServer<EtcdServer> SHARED = new SharedServer<>(EtcdServer::startPrivate);

    private final String peerUrl = "http://127.0.0.1:" + FreePorts.take();
    private final Optional<SelfSigned> keys;

    EtcdServer(ServerPlace place) {
        this(place, Optional.empty());
    }

    private EtcdServer(ServerPlace place, Optional<SelfSigned> keys) {
        super("etcd", place);
        this.keys = keys;
    }

    public static EtcdServer shared() {
        return SHARED.get();
    }

    public static EtcdServer startPrivate() {
        var server = new EtcdServer(ServerPlace.temporary("etcd"));
        server.start();
        return server;
    }

    /** One that speaks TLS, with this certificate, and lets in only those who show the same. */
    public static EtcdServer startSecured(SelfSigned keys) {
        var server = new EtcdServer(ServerPlace.temporary("etcd"), Optional.of(keys));
        server.start();
        return server;
    }

    @Override
    public String url() {
        return (keys.isPresent() ? "https" : "http") + "://127.0.0.1:" + port();
    }

    @Override
    void prepare() throws IOException {
        Files.createDirectory(place().data());
    }

    @Override
    List<String> command() throws IOException {
        var command = new ArrayList<>(List.of(
                program().toString(),
                "--name=sluice",
                "--data-dir=" + place().data(),
                "--listen-client-urls=" + url(),
                "--advertise-client-urls=" + url(),
                "--listen-peer-urls=" + peerUrl,
                "--initial-advertise-peer-urls=" + peerUrl,
                "--initial-cluster=sluice=" + peerUrl));
        keys.ifPresent(pair -> command.addAll(List.of(
                "--cert-file=" + pair.certificate(),
                "--key-file=" + pair.key(),
                "--trusted-ca-file=" + pair.certificate(),
                "--client-cert-auth")));
        return command;
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
