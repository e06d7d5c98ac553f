package dev.sluice.testkit.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * A certificate for 127.0.0.1 that nobody else vouches for, and its key, both PEM: made anew by the {@code keytool} of
 * the JDK that runs.
 */
public record SelfSigned(Path certificate, Path key) {
    private static final String PASSWORD = "for-this-test-only";

    /** @param name of the files, and in the certificate */
    public static SelfSigned make(Path folder, String name) throws IOException, GeneralSecurityException {
        var store = folder.resolve(name + ".p12");
        var keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        Tool.in(folder)
                .run(List.of(
                        keytool.toString(),
                        "-genkeypair",
                        "-alias",
                        "it",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=ip:127.0.0.1,dns:localhost",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD));
        var keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        return new SelfSigned(
                pem(
                        folder.resolve(name + ".crt"),
                        "CERTIFICATE",
                        keys.getCertificate("it").getEncoded()),
                pem(
                        folder.resolve(name + ".key"),
                        "PRIVATE KEY",
                        keys.getKey("it", PASSWORD.toCharArray()).getEncoded()));
    }

    private static Path pem(Path file, String what, byte[] content) throws IOException {
        var text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return Files.writeString(file, "-----BEGIN %s-----%n%s%n-----END %s-----%n".formatted(what, text, what));
    }
}
