package dev.sluice.rocksdb;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.SubscriptionStore;
import dev.sluice.subscribe.SubscriptionStoreException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.rocksdb.RocksIterator;

/** Subscriptions and gateways in a directory, each in a family of its own, by id. Every call is one synced write. */
public final class RocksSubscriptions implements SubscriptionStore {
    private static final int FORMAT = 1;
    private static final String SUBSCRIPTIONS = "subscriptions";
    private static final String GATEWAYS = "gateways";

    private final KeptTables tables;

    /** @throws SubscriptionStoreException when the directory is damaged, of an unknown format, in use or not accessible */
    public RocksSubscriptions(Path directory) {
        this.tables = new KeptTables(
                "subscriptions", directory, FORMAT, List.of(SUBSCRIPTIONS, GATEWAYS), SubscriptionStoreException::new);
    }

    @Override
    public void save(Collection<Subscription> subscriptions) {
        tables.write((database, batch) -> {
            for (Subscription each : subscriptions) {
                batch.put(database.family(SUBSCRIPTIONS), key(each.id()), SubscriptionRecord.encode(each));
            }
            return subscriptions.size();
        });
    }

    @Override
    public void remove(Collection<String> ids) {
        tables.write((database, batch) -> {
            for (String id : ids) {
                batch.delete(database.family(SUBSCRIPTIONS), key(id));
            }
            return ids.size();
        });
    }

    @Override
    public void load(Consumer<Subscription> each) {
        forEach(SUBSCRIPTIONS, (id, record) -> each.accept(SubscriptionRecord.decode(id, record)));
    }

    @Override
    public void saveGateway(GatewayAddress gateway) {
        tables.write((database, batch) -> {
            String value = gateway.protocol().text() + ' ' + gateway.endpoint();
            batch.put(database.family(GATEWAYS), key(gateway.id()), value.getBytes(StandardCharsets.UTF_8));
            return gateway;
        });
    }

    @Override
    public void removeGateway(String id) {
        tables.write((database, batch) -> {
            batch.delete(database.family(GATEWAYS), key(id));
            return id;
        });
    }

    @Override
    public List<GatewayAddress> gateways() {
        List<GatewayAddress> gateways = new ArrayList<>();
        forEach(GATEWAYS, (id, record) -> gateways.add(gateway(id, record)));
        return gateways;
    }

    private static GatewayAddress gateway(byte[] id, byte[] record) {
        String value = new String(record, StandardCharsets.UTF_8);
        int space = value.indexOf(' ');
        if (space < 0) {
            throw new InvalidInputException("a gateway's record has no endpoint");
        }
        return new GatewayAddress(
                new String(id, StandardCharsets.UTF_8),
                Protocol.parse(value.substring(0, space)),
                value.substring(space + 1));
    }

    private interface Visitor {
        void visit(byte[] id, byte[] record);
    }

    private void forEach(String family, Visitor visitor) {
        tables.read(database -> {
            try (RocksIterator iterator = database.iterate(family)) {
                for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                    visitor.visit(iterator.key(), iterator.value());
                }
                iterator.status();
                return true;
            }
        });
    }

    private static byte[] key(String id) {
        return id.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        tables.close();
    }
}
