package dev.sluice.mongodb;

/** Several merged streams keep the contract of one. */
class SeveralStreamsContractTest extends MongoChangeSourceTest {
    @Override
    MongoSourceSettings streams(MongoSourceSettings settings) {
        return settings.withFilter(CollectionFilter.including("invoices", "orders", "users"))
                .withStreams(3);
    }
}
