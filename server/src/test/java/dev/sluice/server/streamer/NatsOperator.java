package dev.sluice.server.streamer;

import io.nats.client.NKey;
import io.nats.client.support.JsonSerializable;
import io.nats.client.support.JwtUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;

/** Whoever signs who may come to a NATS server: an operator with one account for users, and one for the server itself. */
record NatsOperator(Path folder, NKey key, NKey users, NKey system) {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String UNLIMITED = """
            {"type":"account","version":2,"limits":{"subs":-1,"data":-1,"payload":-1,"imports":-1,"exports":-1,
            "wildcards":true,"conn":-1,"leaf":-1}}""";

    static NatsOperator make(Path folder) throws IOException, GeneralSecurityException {
        return new NatsOperator(
                Files.createDirectories(folder),
                NKey.createOperator(RANDOM),
                NKey.createAccount(RANDOM),
                NKey.createAccount(RANDOM));
    }

    private static String id(NKey key) throws IOException, GeneralSecurityException {
        return new String(key.getPublicKey());
    }

    private String signed(NKey whom, String claims) throws IOException, GeneralSecurityException {
        JsonSerializable nats = () -> claims;
        return JwtUtils.issueJWT(key, id(whom), "test", null, JwtUtils.currentTimeSeconds(), id(key), nats);
    }

    /** A file for the server. */
    Path serverConfig() throws IOException, GeneralSecurityException {
        return Files.writeString(folder.resolve("server.conf"), """
                operator: %s
                system_account: %s
                resolver: MEMORY
                resolver_preload: {
                  %s: %s
                  %s: %s
                }
                """.formatted(
                        signed(key, "{\"type\":\"operator\",\"version\":2}"),
                        id(system),
                        id(users),
                        signed(users, UNLIMITED),
                        id(system),
                        signed(system, UNLIMITED)));
    }

    /** A file for a client. */
    Path credentials(String name) throws IOException, GeneralSecurityException {
        NKey user = NKey.createUser(RANDOM);
        String jwt = JwtUtils.issueUserJWT(users, id(users), id(user), name);
        return Files.writeString(
                folder.resolve(name + ".creds"),
                JwtUtils.NATS_USER_JWT_FORMAT.formatted(jwt, new String(user.getSeed())));
    }
}
