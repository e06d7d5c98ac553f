package dev.sluice.grpc;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * A message whose bytes are laid out already. gRPC copies them into its own buffers before {@code sendMessage} returns,
 * so the array may be used again right after.
 */
record EncodedMessage(byte[] array, int offset, int length) {

    /** Ships the bytes as they are, without building message objects. Only for sending. */
    static final MethodDescriptor.Marshaller<EncodedMessage> MARSHALLER = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(EncodedMessage message) {
            return new Bytes(message);
        }

        @Override
        public EncodedMessage parse(InputStream stream) {
            throw new UnsupportedOperationException("The Puller sends these messages and never receives them.");
        }
    };

    private static final class Bytes extends ByteArrayInputStream implements KnownLength, Drainable {
        Bytes(EncodedMessage message) {
            super(message.array, message.offset, message.length);
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            int length = count - pos;
            target.write(buf, pos, length);
            pos = count;
            return length;
        }
    }
}
