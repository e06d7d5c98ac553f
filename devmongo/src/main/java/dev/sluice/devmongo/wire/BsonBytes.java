package dev.sluice.devmongo.wire;

import java.nio.ByteBuffer;
import org.bson.BsonBinaryReader;
import org.bson.BsonBinaryWriter;
import org.bson.BsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;
import org.bson.io.BsonOutput;

/** BSON documents to bytes and back. */
public final class BsonBytes {
    private static final BsonDocumentCodec CODEC = new BsonDocumentCodec();
    private static final EncoderContext ENCODE = EncoderContext.builder().build();
    private static final DecoderContext DECODE = DecoderContext.builder().build();

    private BsonBytes() {}

    public static byte[] encode(BsonDocument document) {
        BasicOutputBuffer out = new BasicOutputBuffer(256);
        write(out, document);
        return out.toByteArray();
    }

    public static int size(BsonDocument document) {
        BasicOutputBuffer out = new BasicOutputBuffer(256);
        write(out, document);
        return out.getPosition();
    }

    public static void write(BsonOutput out, BsonDocument document) {
        write(new BsonBinaryWriter(out), document);
    }

    public static void write(BsonBinaryWriter writer, BsonDocument document) {
        CODEC.encode(writer, document, ENCODE);
    }

    public static BsonDocument decode(byte[] bytes) {
        return decode(ByteBuffer.wrap(bytes));
    }

    /** Decodes at the buffer's position and moves it past the document. */
    public static BsonDocument decode(ByteBuffer bytes) {
        int size = bytes.order(java.nio.ByteOrder.LITTLE_ENDIAN).getInt(bytes.position());
        ByteBuffer slice = bytes.slice(bytes.position(), size);
        try (BsonBinaryReader reader = new BsonBinaryReader(slice)) {
            BsonDocument document = CODEC.decode(reader, DECODE);
            bytes.position(bytes.position() + size);
            return document;
        }
    }
}
