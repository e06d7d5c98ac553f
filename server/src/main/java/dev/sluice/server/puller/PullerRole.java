package dev.sluice.server.puller;

import dev.sluice.server.config.SluiceConfig;
import java.io.IOException;

/** What {@code sluice run --role puller} runs: the Puller, and the HTTP side that tells how it fares. */
public final class PullerRole implements AutoCloseable {
    private final Puller puller;
    private final PullerHttp http;
    private final PullerAnswers answers;

    private PullerRole(SluiceConfig config, String version) throws IOException {
        try (var opened = new Opened()) {
            this.puller = opened.add(Puller.start(config));
            this.answers = new PullerAnswers(puller, version);
            this.http = PullerHttp.start(config.puller(), config.security(), puller, answers);
            opened.keep();
        }
    }

    /** Everything runs when this returns; when it throws, nothing does. */
    public static PullerRole start(SluiceConfig config, String version) throws IOException {
        return new PullerRole(config, version);
    }

    public Puller puller() {
        return puller;
    }

    public PullerHttp http() {
        return http;
    }

    public PullerAnswers answers() {
        return answers;
    }

    /** Says that it is not ready, stops the Puller, and answers health until the end. */
    @Override
    public void close() {
        http.notReady();
        puller.close();
        http.close();
    }
}
