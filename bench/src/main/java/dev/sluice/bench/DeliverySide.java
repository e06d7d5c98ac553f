package dev.sluice.bench;

import java.io.IOException;
import java.util.function.BooleanSupplier;

/** The side of a server under test that events come from. */
interface DeliverySide extends AutoCloseable {
    /** Where the server takes deliveries over HTTP. */
    String address() throws IOException;

    /** How many times a client has said what it wants to get, since the start. */
    int subscriptions() throws IOException;

    /** Says which event happened last. A client that resumes is owed the events up to there. */
    void headIs(int event) throws IOException;

    DeliveryEncoding encoding(ClientProtocol protocol);

    /** Delivers to clients that resume what they missed, until there is nothing more to do. */
    void resume(GatewayFeed feed, ClientProtocol protocol, int head, BooleanSupplier done) throws Exception;

    @Override
    void close();

    /** A gateway has a Streamer, here one that answers at once. */
    record OfGateway(BenchStreamer streamer) implements DeliverySide {
        @Override
        public String address() {
            return streamer.gatewayAddress();
        }

        @Override
        public int subscriptions() {
            return streamer.registrations();
        }

        @Override
        public void headIs(int event) {
            streamer.headIs(event);
        }

        @Override
        public DeliveryEncoding encoding(ClientProtocol protocol) {
            return new DeliveryEncoding.ForGateway(streamer);
        }

        @Override
        public void resume(GatewayFeed feed, ClientProtocol protocol, int head, BooleanSupplier done) throws Exception {
            feed.resume(encoding(protocol), streamer.resumed(), head, done);
        }

        @Override
        public void close() {
            streamer.close();
        }
    }

    /** The bare server takes deliveries where its clients connect, and sends by itself what a client missed. */
    record OfBareServer(CommandedProcess process) implements DeliverySide {
        @Override
        public String address() throws IOException {
            return "http://127.0.0.1:" + process.command("port");
        }

        @Override
        public int subscriptions() throws IOException {
            return Integer.parseInt(process.command("subscriptions"));
        }

        @Override
        public void headIs(int event) throws IOException {
            process.command("head " + event);
        }

        @Override
        public DeliveryEncoding encoding(ClientProtocol protocol) {
            return new DeliveryEncoding.ForBareServer(protocol);
        }

        @Override
        public void resume(GatewayFeed feed, ClientProtocol protocol, int head, BooleanSupplier done) {}

        @Override
        public void close() {}
    }
}
