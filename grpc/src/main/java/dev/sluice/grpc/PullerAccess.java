package dev.sluice.grpc;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where Pullers are, and what they want to see.
 *
 * @param addresses {@code host:port} of Pullers that watch the same backends; one is enough
 * @param credentials of the connection: by TLS or not, whom to believe, what to show
 * @param token sent as {@code authorization: Bearer …}; null if none is needed
 */
public record PullerAccess(
        List<String> addresses,
        ChannelCredentials credentials,
        @Nullable String token) {
    /** A document of 16 MB, its state before and its update description. */
    private static final int LARGEST_MESSAGE = 128 << 20;

    public PullerAccess {
        addresses = List.copyOf(addresses);
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException("name the address of at least one Puller");
        }
    }

    /** In plain text, as on loopback. */
    public static PullerAccess to(String... addresses) {
        return new PullerAccess(List.of(addresses), InsecureChannelCredentials.create(), null);
    }

    /** Connects when it is first used. */
    ManagedChannel channel(String address) {
        ManagedChannelBuilder<?> channel = Grpc.newChannelBuilder(address, credentials)
                .maxInboundMessageSize(LARGEST_MESSAGE)
                .keepAliveTime(10, TimeUnit.SECONDS)
                .keepAliveTimeout(5, TimeUnit.SECONDS);
        if (token != null) {
            Metadata headers = new Metadata();
            headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
            channel.intercept(MetadataUtils.newAttachHeadersInterceptor(headers));
        }
        return channel.build();
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "PullerAccess" + addresses;
    }
}
