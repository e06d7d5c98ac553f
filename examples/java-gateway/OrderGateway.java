import dev.sluice.deliver.EventType;
import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.ReceivedEvent;
import dev.sluice.gateway.RejectedException;
import dev.sluice.model.Subscription;

/** Receives the large orders of one tenant: each change at least once, in order per order, acknowledged when handled. */
public final class OrderGateway {
    public static void main(String[] args) throws InterruptedException {
        String streamer = args.length > 0 ? args[0] : "127.0.0.1:50052";
        try (Gateway gateway = Gateway.builder("order-gateway").streamer(streamer).start()) {
            gateway.subscribe(
                    Subscription.of("large-orders", gateway.id(), "acme", "orders", "{\"total\": {\"$gte\": 100}}"),
                    OrderGateway::handle);
            gateway.ready(); // all subscriptions are made: deliveries of others need not wait for us
            System.out.println("listening at " + gateway.address());
            Thread.currentThread().join();
        }
    }

    /** Returning acknowledges. An exception brings the event again; a rejection makes it a dead letter. */
    private static void handle(ReceivedEvent event) throws RejectedException {
        if (event.type() == EventType.RESYNC) {
            System.out.println("resync: changes are missing, read the current state again");
        } else if (event.documentId().startsWith("test-")) {
            throw new RejectedException("test orders are not for us");
        } else {
            System.out.println(event.type().text() + " " + event.documentId() + " " + event.document().orElse(""));
        }
    }
}
