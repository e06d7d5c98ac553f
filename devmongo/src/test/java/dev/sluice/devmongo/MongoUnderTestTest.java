package dev.sluice.devmongo;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.util.ArrayList;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A contract leaves no traces on the server of somebody who lent it. */
class MongoUnderTestTest {
    @Test
    void theDatabasesOfAContractAreDroppedFromTheServerThatWasNamed() {
        try (DevMongo lent = DevMongo.builder().start();
                MongoClient owner = MongoClients.create(lent.connectionString())) {
            owner.getDatabase("precious").getCollection("a").insertOne(new Document());
            try (MongoUnderTest mongo = new MongoUnderTest(lent.connectionString())) {
                mongo.database().getCollection("a").insertOne(new Document());
                mongo.database().getCollection("b").insertOne(new Document());
                assertThat(owner.listDatabaseNames().into(new ArrayList<>())).hasSize(3);
            }
            assertThat(owner.listDatabaseNames().into(new ArrayList<>())).containsExactly("precious");
        }
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " "})
    void withoutANameItIsDevmongo(String uri) {
        try (MongoUnderTest mongo = new MongoUnderTest(uri)) {
            assertThat(mongo.script().newest()).isNotNull();
        }
    }
}
