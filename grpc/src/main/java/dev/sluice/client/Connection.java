package dev.sluice.client;

import dev.sluice.grpc.puller.v1.SubscribeRequest;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.ClientInterceptors;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** One connection to one Puller. */
final class Connection implements AutoCloseable {
    /** A document of 16 MB and its update description, in JSON. */
    private static final int LARGEST_MESSAGE = 128 << 20;

    private final ManagedChannel channel;
    private final Channel calls;

    Connection(String address, ConsumerOptions options) throws IOException {
        channel = Grpc.newChannelBuilder(address, credentials(options))
                .maxInboundMessageSize(LARGEST_MESSAGE)
                .keepAliveTime(20, TimeUnit.SECONDS)
                .keepAliveTimeout(10, TimeUnit.SECONDS)
                .build();
        calls = options.token == null
                ? channel
                : ClientInterceptors.intercept(
                        channel, MetadataUtils.newAttachHeadersInterceptor(bearer(options.token)));
    }

    private static ChannelCredentials credentials(ConsumerOptions options) throws IOException {
        if (!options.tls) {
            return InsecureChannelCredentials.create();
        }
        TlsChannelCredentials.Builder tls = TlsChannelCredentials.newBuilder();
        if (options.trustedCertificates != null) {
            tls.trustManager(options.trustedCertificates.toFile());
        }
        if (options.ownCertificate != null && options.ownKey != null) {
            tls.keyManager(options.ownCertificate.toFile(), options.ownKey.toFile());
        }
        return tls.build();
    }

    private static Metadata bearer(String token) {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
        return headers;
    }

    Incoming subscribe(SubscribeRequest request) {
        return Incoming.open(calls, request);
    }

    /** Ends the stream; the thread that waits for its next batch gets an exception. */
    @Override
    public void close() {
        channel.shutdownNow();
    }
}
