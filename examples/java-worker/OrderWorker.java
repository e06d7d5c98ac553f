import dev.sluice.worker.MessageContext;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Worker;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.partition.Partitions;
import dev.sluice.worker.stream.StreamMessage;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.nio.charset.StandardCharsets;

/** Handles orders, each at least once and in order per customer. Start it as often as you like; the partitions spread. */
public final class OrderWorker {
    public static void main(String[] args) throws Exception {
        var options = Options.builder().server(args[0]).maxReconnects(-1).reportNoResponders().build();
        Connection nats = Nats.connect(options);
        Worker worker = Worker.builder(nats)
                .stream("ORDERS")
                .prefix("orders")
                .partitions(Partitions.hashed("orders", 64))
                .handler(OrderWorker::handle)
                .settings(WorkerSettings.DEFAULT.with(settings -> settings.deadLetters = "ORDERS_DEAD"))
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(worker::close)); // hands its partitions over at once
        Thread.currentThread().join();
    }

    private static Outcome handle(MessageContext context, StreamMessage message) {
        String order = new String(message.data(), StandardCharsets.UTF_8);
        if (order.isBlank()) {
            return Outcome.reject("an order without content"); // a dead letter at once
        }
        System.out.println(context.subject() + " #" + message.sequence() + ": " + order);
        return Outcome.done(); // an exception, or Outcome.retry, brings the message again
    }
}
