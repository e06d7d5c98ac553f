package dev.sluice.server.config;

import dev.sluice.net.BindRefusedException;
import dev.sluice.net.Listening;
import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.config.yaml.Durations;
import dev.sluice.server.config.yaml.Names;
import dev.sluice.server.config.yaml.Problems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What no record can see alone: names that refer to each other, and addresses. */
final class CrossChecks {

    /** The database of mirrored checkpoints. */
    private static final String MIRROR = "sluice";

    private final SluiceConfig config;
    private final Problems problems;

    CrossChecks(SluiceConfig config, Problems problems) {
        this.config = config;
        this.problems = problems;
    }

    /** Says nothing about parts that are already reported: what stands there instead is a fallback. */
    void run() {
        if (!problems.touch("storage.backends")) {
            storageNamesAreUnique();
            connectionsCanBeRead();
            if (!problems.touch("puller.backends")) {
                watchedBackendsExist();
                outboxesAreReadWhole();
                mirrorsAreNotWatched();
            }
        }
        if (!problems.touch("cluster") && config.cluster().store() == ClusterConfig.Store.ETCD) {
            etcdServersAreAddresses("cluster.endpoints", config.cluster().endpoints());
        }
        if (!problems.touch("puller.checkpoint")) {
            etcdServersAreAddresses(
                    "puller.checkpoint.endpoints", config.puller().checkpoint().endpoints());
        }
        if (!problems.touch("reliability.checkpoint")) {
            etcdServersAreAddresses(
                    "reliability.checkpoint.endpoints",
                    config.reliability().checkpoint().endpoints());
            mirrorOfPositionsHasAPlace();
        }
        if (!problems.touch("outbox") && !problems.touch("shedlock")) {
            locksOutliveHeartbeats();
        }
        if (!problems.touch("worker") && !problems.touch("cluster")) {
            config.worker()
                    .problemWithLease(config.cluster().leaseTtl())
                    .ifPresent(problem -> problems.add("worker.inactive_threshold", problem));
        }
        storesTlsIsOfUse();
        portsDiffer();
        strangersAreKeptOut();
        tlsFilesCanBeRead();
    }

    private void storageNamesAreUnique() {
        var seen = new HashSet<String>();
        var backends = config.storage().backends();
        for (var i = 0; i < backends.size(); i++) {
            if (!seen.add(backends.get(i).name())) {
                problems.add("storage.backends[" + i + "].name", "is used by another backend too; names must differ");
            }
        }
    }

    private void connectionsCanBeRead() {
        var backends = config.storage().backends();
        for (var i = 0; i < backends.size(); i++) {
            if (!Connections.isReadable(backends.get(i))) {
                problems.add(
                        "storage.backends[" + i + "].connection",
                        switch (backends.get(i).type()) {
                            case MONGODB ->
                                "is not a MongoDB connection string; write mongodb://HOST:PORT/?OPTIONS, and"
                                        + " percent-encode : / ? # [ ] @ in user and password";
                            case OUTBOX ->
                                "is no database an outbox can be in; write jdbc:postgresql://HOST/DATABASE,"
                                        + " jdbc:mariadb://HOST/DATABASE (MySQL too) or jdbc:h2:FILE";
                        });
            }
        }
    }

    private void mirrorOfPositionsHasAPlace() {
        if (config.reliability().checkpoint().backend() == CheckpointBackend.MONGODB
                && config.storage().backends().stream().noneMatch(CrossChecks::isMongo)
                && !problems.touch("storage.backends")) {
            problems.add(
                    "reliability.checkpoint.backend",
                    "is mongodb, but storage.backends names no MongoDB; name the one that is to hold the positions");
        }
    }

    private static boolean isMongo(StorageConfig.Backend backend) {
        return backend.type() == StorageConfig.Type.MONGODB;
    }

    /** Whoever sets it believes that the connection is encrypted. */
    private void storesTlsIsOfUse() {
        var cluster = config.cluster();
        var endpoints = new ArrayList<ConnectionString>();
        if (cluster.store() == ClusterConfig.Store.ETCD) {
            endpoints.addAll(cluster.endpoints());
        }
        if (config.puller().checkpoint().backend() == CheckpointBackend.ETCD) {
            endpoints.addAll(config.puller().checkpoint().endpoints());
        }
        if (config.reliability().checkpoint().backend() == CheckpointBackend.ETCD) {
            endpoints.addAll(config.reliability().checkpoint().endpoints());
        }
        if (cluster.tls().isSet() && endpoints.stream().noneMatch(each -> each.startsWith("https://"))) {
            problems.add(
                    "cluster.tls",
                    "is for etcd by TLS, and no endpoint of an etcd begins with https://; write https:// there, or remove it");
        }
    }

    private void etcdServersAreAddresses(String key, List<ConnectionString> endpoints) {
        for (var i = 0; i < endpoints.size(); i++) {
            if (!Connections.isHttpAddress(endpoints.get(i))) {
                problems.add(
                        key + "[" + i + "]",
                        "is not the address of an etcd server; write http://HOST:PORT or https://HOST:PORT");
            }
        }
        if (endpoints.stream().anyMatch(each -> each.startsWith("http://"))
                && endpoints.stream().anyMatch(each -> each.startsWith("https://"))) {
            problems.add(
                    key,
                    "mixes http:// and https://, so a password could go out in the clear; write the same for all servers");
        }
    }

    private void watchedBackendsExist() {
        var known = config.storage().backends().stream()
                .map(StorageConfig.Backend::name)
                .collect(Collectors.toCollection(TreeSet::new));
        var seen = new HashSet<String>();
        var watched = config.puller().backends();
        for (var i = 0; i < watched.size(); i++) {
            var key = "puller.backends[" + i + "].name";
            var name = watched.get(i).name();
            if (!known.contains(name)) {
                problems.add(
                        key,
                        "is not in storage.backends; "
                                + Names.nearest(name, known)
                                        .map(near -> "did you mean " + near + "?")
                                        .orElse("define it there"));
            } else if (!seen.add(name)) {
                problems.add(key, "is watched twice; keep one, and set streams there if one change stream is too few");
            }
        }
    }

    /** A row that is passed over would stay for ever; and nothing but the row is known of a message. */
    private void outboxesAreReadWhole() {
        var outboxes = config.storage().backends().stream()
                .filter(backend -> backend.type() == StorageConfig.Type.OUTBOX)
                .map(StorageConfig.Backend::name)
                .collect(Collectors.toSet());
        var watched = config.puller().backends();
        for (var i = 0; i < watched.size(); i++) {
            if (outboxes.contains(watched.get(i).name())) {
                forAnOutbox(watched.get(i), "puller.backends[" + i + "].");
            }
        }
    }

    private void forAnOutbox(WatchedBackend watched, String key) {
        var whole = "does not go with an outbox, which is read whole, row by row; remove it, and let consumers filter";
        if (!watched.includeCollections().isEmpty()) {
            problems.add(key + "include_collections", whole);
        }
        if (!watched.excludeCollections().isEmpty()) {
            problems.add(key + "exclude_collections", whole);
        }
        if (watched.images() != WatchedBackend.Images.NONE) {
            problems.add(key + "images", "does not go with an outbox: messages have no state before; remove it");
        }
        if (watched.tenant().database()) {
            problems.add(
                    key + "tenant.database",
                    "does not go with an outbox; write constant, field (as in payload.tenant) or id_prefix, or let"
                            + " writers set the header tenant");
        }
    }

    /** Each saved checkpoint would be a change, and each change a checkpoint to save. */
    private void mirrorsAreNotWatched() {
        if (config.puller().checkpoint().backend() != CheckpointBackend.MONGODB
                && config.reliability().checkpoint().backend() != CheckpointBackend.MONGODB) {
            return;
        }
        var watched =
                config.puller().backends().stream().map(WatchedBackend::name).collect(Collectors.toSet());
        var backends = config.storage().backends();
        for (var i = 0; i < backends.size(); i++) {
            if (watched.contains(backends.get(i).name())
                    && MIRROR.equals(backends.get(i).database())) {
                problems.add(
                        "storage.backends[" + i + "].database",
                        "is where checkpoint.backend: mongodb keeps checkpoints, and is watched itself; mirror to etcd, or"
                                + " keep the data in a database of another name");
            }
        }
    }

    private void locksOutliveHeartbeats() {
        var beat = config.outbox().heartbeat();
        if (beat.multipliedBy(2).compareTo(config.lockAtMostFor()) > 0) {
            problems.add(
                    "shedlock.defaults.lock_at_most_for",
                    Durations.format(config.lockAtMostFor()) + " must be at least twice the heartbeat's fixed_rate ("
                            + Durations.format(beat) + "), or a live node loses its locks");
        }
    }

    private void portsDiffer() {
        var listeners = Listener.of(config);
        for (var i = 0; i < listeners.size(); i++) {
            for (var earlier : listeners.subList(0, i)) {
                var listener = listeners.get(i);
                if (listener.clashesWith(earlier)
                        && !problems.touch(listener.key())
                        && !problems.touch(earlier.key())) {
                    problems.add(
                            listener.key(),
                            "port " + listener.address().port() + " is also that of " + earlier.key()
                                    + "; give each its own");
                }
            }
        }
    }

    private void strangersAreKeptOut() {
        if (problems.touch("security")) {
            return;
        }
        for (var listener : Listener.of(config)) {
            try {
                Listening.permit("this server", listener.address(), listener.protection(config.security()));
            } catch (BindRefusedException e) {
                problems.add(listener.hostKey(), String.valueOf(e.getMessage()));
            }
        }
    }

    private void tlsFilesCanBeRead() {
        var tls = config.security().tls();
        tls.certificate().ifPresent(file -> mustBeReadable("security.tls.certificate", file));
        tls.key().ifPresent(file -> mustBeReadable("security.tls.key", file));
        tls.ca().ifPresent(file -> mustBeReadable("security.tls.ca", file));
        var store = config.cluster().tls();
        store.ca().ifPresent(file -> mustBeReadable("cluster.tls.ca", file));
        store.certificate().ifPresent(file -> mustBeReadable("cluster.tls.certificate", file));
        store.key().ifPresent(file -> mustBeReadable("cluster.tls.key", file));
        config.gateway().jwt().publicKey().ifPresent(file -> mustBeReadable("gateway.jwt.public_key", file));
        config.gateway().jwt().otherPublicKeys().forEach(file -> mustBeReadable("gateway.jwt.other_public_keys", file));
        config.routing()
                .delivery()
                .nats()
                .credentials()
                .ifPresent(file -> mustBeReadable("routing.delivery.nats.credentials", file));
        var outbox = config.outbox();
        outbox.nats().credentials().ifPresent(file -> mustBeReadable("outbox.nats.credentials", file));
        config.worker().credentials().ifPresent(file -> mustBeReadable("worker.credentials", file));
        outbox.encryption()
                .keyFiles()
                .forEach((name, file) -> mustBeReadable("outbox.encryption.key_files." + name, file));
    }

    private void mustBeReadable(String key, Path file) {
        if (!Files.isRegularFile(file)) {
            problems.add(key, "is not a file on this machine; write the path of a file that is");
        } else if (!Files.isReadable(file)) {
            problems.add(key, "cannot be read; let the user who runs Sluice read it");
        }
    }
}
