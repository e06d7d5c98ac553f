package dev.sluice.gateway;

import dev.sluice.grpc.ServerSecurity;
import dev.sluice.model.InvalidInputException;
import dev.sluice.nats.NatsAccess;
import dev.sluice.net.ListenAddress;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** How a gateway is made. Everything but its id has a default: HTTP/2 on a free port of loopback, a Streamer there, too. */
public final class GatewayBuilder {
    private static final int DEFAULT_BATCH = 64 << 20;
    private static final int SMALLEST_BATCH = 1024;

    final String id;
    StreamerAccess streamer = StreamerAccess.to("127.0.0.1:50052");
    ServerSecurity security = ServerSecurity.NONE;
    Function<Intake, Endpoint> endpoint;
    int maxBatchBytes = DEFAULT_BATCH;
    int remembered = Repeats.DEFAULT_WINDOW;
    Duration grace = Duration.ofSeconds(10);
    boolean forgetEarlier;

    @Nullable
    String advertised;

    @Nullable
    EventCallback otherwise;

    private @Nullable SubscriptionAdopter adopter;

    GatewayBuilder(String id) {
        if (id.isEmpty()) {
            throw new InvalidInputException("a gateway needs an id that stays the same when it starts again");
        }
        this.id = id;
        this.endpoint = intake -> new HttpEndpoint(id, ListenAddress.loopback(0), security, intake);
    }

    /** The Streamer's control plane. Default: {@code 127.0.0.1:50052}. */
    public GatewayBuilder streamer(String hostAndPort) {
        return streamer(StreamerAccess.to(hostAndPort));
    }

    public GatewayBuilder streamer(StreamerAccess access) {
        streamer = access;
        return this;
    }

    /** Takes events by HTTP/2 at this address; port 0 takes a free one. */
    public GatewayBuilder receiveByHttp(ListenAddress address) {
        endpoint = intake -> new HttpEndpoint(id, address, security, intake);
        return this;
    }

    /** Takes events by gRPC at this address; port 0 takes a free one. */
    public GatewayBuilder receiveByGrpc(ListenAddress address) {
        endpoint = intake -> new GrpcEndpoint(id, address, security, intake);
        return this;
    }

    /** Takes events as requests on the subject {@code sluice.streamer.events.ID}. */
    public GatewayBuilder receiveByNats(NatsAccess access) {
        endpoint = intake -> new NatsEndpoint(id, access, intake);
        return this;
    }

    /** TLS and the credential the Streamer must show; needed where others can reach the address. */
    public GatewayBuilder security(ServerSecurity protection) {
        security = protection;
        return this;
    }

    /** Where the Streamer finds this gateway, when that is not the address it listens on. */
    public GatewayBuilder advertise(String address) {
        advertised = address;
        return this;
    }

    /** Larger batches are refused; the Streamer cuts them up. Default: 64 MiB, enough for MongoDB's largest document. */
    public GatewayBuilder maxBatchBytes(int bytes) {
        if (bytes < SMALLEST_BATCH) {
            throw new InvalidInputException("a batch needs at least " + SMALLEST_BATCH + " bytes, not " + bytes);
        }
        maxBatchBytes = bytes;
        return this;
    }

    /** How many event ids each subscription remembers to recognise repeats. Default: 1024. */
    public GatewayBuilder remember(int eventIds) {
        if (eventIds < 0) {
            throw new InvalidInputException("a gateway cannot remember " + eventIds + " event ids");
        }
        remembered = eventIds;
        return this;
    }

    /**
     * How long after the Streamer first answered events of unknown subscriptions are sent back to come again, because the
     * application may be about to subscribe. Later they are acknowledged and counted. Default: 10 s.
     *
     * <p>Subscriptions that this gateway itself registered before it started again are known from the Streamer: their events
     * are sent back however long the start takes, until the application subscribes or unsubscribes them, calls {@link
     * Gateway#ready}, or their time to live is over. An application that never calls {@code ready} and drops a subscription
     * between two versions should unsubscribe it. Zero: nothing is waited for, as after {@code ready}.
     */
    public GatewayBuilder graceAfterStart(Duration time) {
        grace = time;
        return this;
    }

    /**
     * Takes over subscriptions this gateway did not register, which the hash ring or a failover places here: it is told each
     * before the first event. Without one, and without {@link #otherwise}, their events become dead letters.
     */
    public GatewayBuilder adoptBy(SubscriptionAdopter taker) {
        adopter = taker;
        return this;
    }

    @Nullable
    SubscriptionAdopter adopter() {
        EventCallback all = otherwise;
        return adopter != null || all == null ? adopter : told -> all;
    }

    /**
     * Takes events of subscriptions nobody subscribed here: made by others for this gateway, or, unless there is one to
     * {@link #adoptBy adopt} them, of the hash ring and of failovers.
     */
    public GatewayBuilder otherwise(EventCallback callback) {
        otherwise = callback;
        return this;
    }

    /**
     * Ends, when it starts, all subscriptions of this gateway's earlier life. For gateways whose subscriptions end with
     * the process, as those of end users' connections do.
     */
    public GatewayBuilder forgetEarlierSubscriptions() {
        forgetEarlier = true;
        grace = Duration.ZERO;
        return this;
    }

    /**
     * Listens, and tells the Streamer. A Streamer that is not there yet is waited for in the background.
     *
     * @throws dev.sluice.net.BindRefusedException when the address may not be listened on
     */
    public Gateway start() {
        return new Gateway(this);
    }
}
