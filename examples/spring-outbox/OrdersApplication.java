package orders;

import dev.sluice.outbox.spring.OutboxEvent;
import java.util.UUID;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Places an order and tells Kafka of it: both, or neither. */
@SpringBootApplication
public class OrdersApplication {
    @OutboxEvent(topic = "shop.orders", key = "orderId")
    public record OrderPlaced(String orderId, int total) {}

    @Service
    public static class Orders {
        private final JdbcClient database;
        private final ApplicationEventPublisher events;

        Orders(JdbcClient database, ApplicationEventPublisher events) {
            this.database = database;
            this.events = events;
        }

        @Transactional
        public void place(String orderId, int total) {
            database.sql("INSERT INTO shop_orders VALUES (?, ?)").params(orderId, total).update();
            events.publishEvent(new OrderPlaced(orderId, total)); // into the outbox, in this transaction
        }
    }

    @Bean
    CommandLineRunner firstOrder(Orders orders) {
        return args -> orders.place(UUID.randomUUID().toString(), 99);
    }

    public static void main(String[] args) {
        SpringApplication.run(OrdersApplication.class, args);
    }
}
