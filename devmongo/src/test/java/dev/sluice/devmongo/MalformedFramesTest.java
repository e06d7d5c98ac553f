package dev.sluice.devmongo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.devmongo.wire.BsonBytes;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Whatever arrives on one connection, the server goes on answering the others. */
class MalformedFramesTest {
    private static final BsonDocument PING =
            new BsonDocument("ping", new BsonInt32(1)).append("$db", new BsonString("admin"));
    private static DevMongo server;

    @BeforeAll
    static void start() {
        server = DevMongo.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static void assertAlive() throws IOException {
        try (RawClient client = new RawClient(server.port())) {
            assertThat(client.run(PING).getDouble("ok").getValue()).isEqualTo(1.0);
        }
    }

    /** Sends bytes; true if a reply came, false if the connection was closed. */
    private static boolean answered(byte[] bytes) throws IOException {
        try (RawClient client = new RawClient(server.port())) {
            client.sendBytes(bytes);
            client.receiveBody();
            return true;
        } catch (EOFException closed) {
            return false;
        }
    }

    private static byte[] message(int length, int opCode, byte[] body) {
        return ByteBuffer.allocate(16 + body.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(length)
                .putInt(1)
                .putInt(0)
                .putInt(opCode)
                .put(body)
                .array();
    }

    private static byte[] opMsg(int flags, int kind, byte[] section) {
        return ByteBuffer.allocate(5 + section.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(flags)
                .put((byte) kind)
                .put(section)
                .array();
    }

    @Test
    void lengthsThatCannotBeCloseTheConnection() throws IOException {
        for (int length : new int[] {0, -1, 15, 48_000_001, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThat(answered(message(length, 2013, new byte[0])))
                    .as("length %d", length)
                    .isFalse();
        }
        assertAlive();
    }

    @Test
    void unknownOperationsAndCompressionAreRefused() throws IOException {
        for (int opCode : new int[] {0, 1, 2001, 2005, 2010, 2012, 9999}) {
            assertThat(answered(message(21, opCode, new byte[5])))
                    .as("op %d", opCode)
                    .isFalse();
        }
        assertAlive();
    }

    @Test
    void flagsAndSectionsThatNobodyKnowsCloseTheConnection() throws IOException {
        byte[] ping = BsonBytes.encode(PING);
        assertThat(answered(framed(opMsg(0, 0, ping)))).isTrue();
        assertThat(answered(framed(opMsg(1 << 5, 0, ping)))).isFalse();
        assertThat(answered(framed(opMsg(0, 2, ping)))).isFalse();
        assertThat(answered(framed(opMsg(0, 0, BsonBytes.encode(new BsonDocument())))))
                .isFalse();
        assertThat(answered(framed(new byte[4]))).isFalse();
        assertAlive();
    }

    private static byte[] framed(byte[] body) {
        return message(16 + body.length, 2013, body);
    }

    @Test
    void aMessageWithAChecksumIsRead() throws IOException {
        byte[] body = opMsg(1, 0, BsonBytes.encode(PING));
        assertThat(answered(framed(java.util.Arrays.copyOf(body, body.length + 4))))
                .isTrue();
    }

    @Test
    void damagedCommandsNeverStopTheServer() throws IOException {
        byte[] insert = BsonBytes.encode(BsonDocument.parse(
                "{insert: 'a', documents: [{_id: 1, s: 'text', sub: {x: [1, 2, {y: null}]}}], $db: 'fuzz'}"));
        Random random = new Random(7);
        for (int i = 0; i < 400; i++) {
            byte[] damaged = insert.clone();
            int changes = 1 + random.nextInt(4);
            for (int c = 0; c < changes; c++) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            }
            answered(framed(opMsg(0, 0, damaged)));
        }
        assertAlive();
    }

    @Test
    void noiseNeverStopsTheServer() throws IOException {
        Random random = new Random(11);
        for (int i = 0; i < 200; i++) {
            byte[] noise = new byte[16 + random.nextInt(200)];
            random.nextBytes(noise);
            ByteBuffer.wrap(noise).order(ByteOrder.LITTLE_ENDIAN).putInt(0, noise.length);
            if (i % 2 == 0) {
                ByteBuffer.wrap(noise).order(ByteOrder.LITTLE_ENDIAN).putInt(12, i % 4 == 0 ? 2013 : 2004);
            }
            answered(noise);
        }
        assertAlive();
    }

    @Test
    void aCommandWithFieldsOfTheWrongTypeGetsAnError() throws IOException {
        for (String command : new String[] {
            "{find: 1}",
            "{find: 'a', filter: 1, sort: 'x', limit: 'y'}",
            "{insert: 'a'}",
            "{insert: 'a', documents: [1]}",
            "{insert: 'a', documents: 1}",
            "{update: 'a', updates: [{q: 1, u: 1}]}",
            "{update: 'a', updates: [{}]}",
            "{delete: 'a', deletes: [{}]}",
            "{aggregate: 'a', pipeline: 1}",
            "{aggregate: 'a', pipeline: [1]}",
            "{aggregate: 'a', pipeline: [{$changeStream: 1}]}",
            "{aggregate: 'a', pipeline: [{$nosuch: 1}]}",
            "{getMore: 'x'}",
            "{killCursors: 'a', cursors: ['x']}",
            "{create: 1}",
            "{renameCollection: 'x', to: 1}",
            "{createIndexes: 'a', indexes: [{}]}",
            "{killSessions: [1]}",
            "{commitTransaction: 1}",
            "{nosuch: 1}"
        }) {
            try (RawClient client = new RawClient(server.port())) {
                BsonDocument reply = client.run(BsonDocument.parse(command).append("$db", new BsonString("wrong")));
                boolean failed = reply.getDouble("ok").getValue() == 0
                        || reply.containsKey("writeErrors")
                        || reply.containsKey("cursor");
                assertThat(failed).as("%s: %s", command, reply).isTrue();
            }
        }
        assertAlive();
    }
}
