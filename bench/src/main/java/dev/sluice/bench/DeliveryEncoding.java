package dev.sluice.bench;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** How a batch of events is written for a server under test. An event is encoded once for all clients. */
interface DeliveryEncoding {
    byte[] open();

    void add(int client, EncodedEvent event, ByteArrayOutputStream body) throws IOException;

    byte[] separator();

    byte[] close();

    /** An event with what is written around it for every client. */
    record EncodedEvent(int number, byte[] json, byte[] marker) {
        static EncodedEvent of(int number) {
            BenchEvent event = new BenchEvent(number);
            return new EncodedEvent(number, ascii(event.json()), ascii(event.marker()));
        }
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The Streamer's wire over HTTP, as {@code DeliveryBody} writes it. */
    record ForGateway(BenchStreamer streamer) implements DeliveryEncoding {
        private static final byte[] OPEN = ascii("{\"events\":[");
        private static final byte[] CLOSE = ascii("],\"perEventRetries\":true}");
        private static final byte[] SEPARATOR = ascii(",");
        private static final byte[] SUBSCRIPTION = ascii("{\"subscriptionId\":\"");
        private static final byte[] EVENT = ascii("\",\"event\":");
        private static final byte[] SEQ = ascii(",\"seq\":");
        private static final byte[] TOKEN = ascii(
                ",\"partitionId\":0,\"fencingToken\":{\"generation\":1,\"epoch\":1},\"redelivery\":false,\"progress\":\"");
        private static final byte[] END = ascii("\"}");

        @Override
        public byte[] open() {
            return OPEN;
        }

        @Override
        public byte[] separator() {
            return SEPARATOR;
        }

        @Override
        public byte[] close() {
            return CLOSE;
        }

        @Override
        public void add(int client, EncodedEvent event, ByteArrayOutputStream body) {
            BenchStreamer.Registered registered = streamer.subscription(client);
            body.writeBytes(SUBSCRIPTION);
            body.writeBytes(ascii(registered.id()));
            body.writeBytes(EVENT);
            body.writeBytes(event.json());
            body.writeBytes(SEQ);
            // The subscription began behind `after`, and its sequence numbers begin at 1.
            body.writeBytes(ascii(String.valueOf(event.number() - registered.after())));
            body.writeBytes(TOKEN);
            body.writeBytes(event.marker());
            body.writeBytes(END);
        }
    }

    /** The finished message of each client, with the client's number and the length before it. */
    record ForBareServer(ClientProtocol protocol) implements DeliveryEncoding {
        private static final byte[] NOTHING = {};

        @Override
        public byte[] open() {
            return NOTHING;
        }

        @Override
        public byte[] separator() {
            return NOTHING;
        }

        @Override
        public byte[] close() {
            return NOTHING;
        }

        @Override
        public void add(int client, EncodedEvent event, ByteArrayOutputStream body) throws IOException {
            byte[] message = message(client, event);
            DataOutputStream data = new DataOutputStream(body);
            data.writeInt(client);
            data.writeInt(message.length);
            data.write(message);
        }

        /** The bytes that the gateway sends for this event, too. */
        byte[] message(int client, EncodedEvent event) {
            ByteArrayOutputStream message = new ByteArrayOutputStream(event.json().length + 64);
            if (protocol instanceof SseProtocol) {
                message.writeBytes(ascii("id: "));
                message.writeBytes(event.marker());
                message.writeBytes(ascii("\ndata: "));
                message.writeBytes(event.json());
                message.writeBytes(ascii("\n\n"));
            } else {
                message.writeBytes(ascii("{\"id\":\"" + client + "\",\"event\":"));
                message.writeBytes(event.json());
                message.writeBytes(ascii("}"));
            }
            return message.toByteArray();
        }
    }
}
