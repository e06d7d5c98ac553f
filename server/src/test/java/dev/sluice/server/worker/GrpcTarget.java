package dev.sluice.server.worker;

import dev.sluice.grpc.worker.v1.HandleReply;
import dev.sluice.grpc.worker.v1.HandleRequest;
import dev.sluice.grpc.worker.v1.HandlerServiceGrpc;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A receiver that serves {@code sluice.worker.v1.HandlerService}. */
final class GrpcTarget extends HandlerServiceGrpc.HandlerServiceImplBase implements AutoCloseable {
    /** Those answered with OK, in order. */
    final List<HandleRequest> accepted = new CopyOnWriteArrayList<>();

    private volatile Function<HandleRequest, Status> statuses = request -> Status.OK;
    private final Server server;

    GrpcTarget() throws IOException {
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(this)
                .build()
                .start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getPort();
    }

    void answer(Function<HandleRequest, Status> status) {
        statuses = status;
    }

    @Override
    public void handle(HandleRequest request, StreamObserver<HandleReply> reply) {
        Status status = statuses.apply(request);
        if (status.isOk()) {
            accepted.add(request);
            reply.onNext(HandleReply.getDefaultInstance());
            reply.onCompleted();
        } else {
            reply.onError(status.asRuntimeException());
        }
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
