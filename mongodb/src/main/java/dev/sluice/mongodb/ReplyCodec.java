package dev.sluice.mongodb;

import org.bson.BsonBinaryReader;
import org.bson.BsonReader;
import org.bson.RawBsonDocument;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.RawBsonDocumentCodec;
import org.bson.io.BsonInput;
import org.bson.io.BsonInputMark;

/** Takes a reply out of the driver's buffers by one copy. The driver's own codec makes three, of megabytes each. */
final class ReplyCodec extends RawBsonDocumentCodec {
    @Override
    public RawBsonDocument decode(BsonReader reader, DecoderContext context) {
        if (!(reader instanceof BsonBinaryReader binary)
                || binary.getBsonInput().getPosition() != 0) {
            return super.decode(reader, context);
        }
        BsonInput input = binary.getBsonInput();
        BsonInputMark start = input.getMark(Integer.BYTES);
        int length = input.readInt32();
        start.reset();
        byte[] bytes = new byte[length];
        input.readBytes(bytes);
        return new RawBsonDocument(bytes);
    }
}
