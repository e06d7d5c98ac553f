package dev.sluice.match;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.RawBson;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How many filters are tried, which is what an event costs: close to how many match, not to how many there are. */
class AccessTreeTest {
    private final AccessTree tree = new AccessTree();
    private final List<SharedFilter> filters = new ArrayList<>();

    private void add(String json) {
        SharedFilter filter = new SharedFilter(Filter.parse(json), null);
        filters.add(filter);
        tree.add(filter);
    }

    private int tried(String document) {
        int[] count = new int[1];
        RawBson bson = Events.bson(document);
        new CandidateWalk(filter -> count[0]++).walk(tree, bson.array(), bson.offset());
        return count[0];
    }

    @Test
    void equalityIsFoundByItsValue() {
        for (int k = 0; k < 10_000; k++) {
            add("{user:" + k + "}");
        }
        assertThat(tried("{user:77}")).isEqualTo(1);
        assertThat(tried("{user:77.0}")).isEqualTo(1);
        assertThat(tried("{user:[77,78]}")).isEqualTo(2);
        assertThat(tried("{user:'77'}")).isZero();
    }

    @Test
    void theValueThatFewShareIsChosen() {
        for (int k = 0; k < 10_000; k++) {
            add("{status:'open',user:" + k + ",kind:{$ne:1}}");
        }
        assertThat(tried("{status:'open',user:77}")).isLessThan(5);
    }

    @Test
    void filtersThatShareEveryValueAreToldApartByAllTogether() {
        for (int k = 0; k < 8000; k++) {
            add("{a:" + k % 20 + ",b:" + k / 20 % 20 + ",c:" + k / 400 + "}");
        }
        assertThat(tried("{a:3,b:4,c:5}")).isLessThan(300);
    }

    @Test
    void rangesAreFoundByWhatTheyHold() {
        for (int k = 0; k < 10_000; k++) {
            add("{price:{$gte:" + k + ",$lt:" + (k + 3) + "}}");
        }
        assertThat(tried("{price:500.5}")).isEqualTo(3);
        assertThat(tried("{price:-1}")).isZero();
        assertThat(tried("{price:'500'}")).isZero();
    }

    @Test
    void prefixesAreFoundByTheirLengths() {
        for (int k = 0; k < 10_000; k++) {
            add("{sku:/^item" + k + "-/}");
        }
        assertThat(tried("{sku:'item4711-red'}")).isEqualTo(1);
        assertThat(tried("{sku:'thing4711-red'}")).isZero();
    }

    @Test
    void everyBranchOfAnOrIsFound() {
        for (int k = 0; k < 1000; k++) {
            add("{$or:[{user:" + k + "},{group:{$in:[" + k + "," + (k + 1) + "]}}]}");
        }
        assertThat(tried("{user:7}")).isEqualTo(1);
        assertThat(tried("{group:7}")).isEqualTo(2);
    }

    @Test
    void manyPathsCostADocumentWithoutThemNothing() {
        for (int k = 0; k < 10_000; k++) {
            add("{'field" + k + ".inner':1}");
        }
        assertThat(tried("{a:1,field5:{inner:1},field6:{other:1}}")).isEqualTo(1);
    }

    @Test
    void nothingIsLeftOfWhatIsRemoved() {
        Random random = new Random(3);
        RandomQueries queries = new RandomQueries(random);
        for (int k = 0; k < 3000; k++) {
            add(queries.filter());
        }
        assertThat(tree.isEmpty()).isFalse();
        filters.forEach(tree::remove);
        assertThat(tree.isEmpty()).isTrue();
    }
}
