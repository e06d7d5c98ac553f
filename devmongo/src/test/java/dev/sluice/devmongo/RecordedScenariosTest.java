package dev.sluice.devmongo;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Every recorded scenario replays against devmongo, every step, and every whole reply is compared (see
 * {@link ReplyComparison} for the little that is masked).
 *
 * <p>Lines that are not replies, and what is done with them:
 *
 * <table>
 * <caption>Lines without a reply to compare</caption>
 * <tr><td>14, 18 and 20</td><td>measured waits: the same read must have waited at least that long</td></tr>
 * <tr><td>18, 21</td><td>measured sizes: the live reply and event have exactly those sizes</td></tr>
 * <tr><td>20, 1</td><td>the size the real oplog was configured with: not compared, devmongo's is rolled over by
 * script</td></tr>
 * <tr><td>20, 2 and 7</td><td>oldest oplog entries: the event last seen lies at or after the one of step 2 and before
 * the one of step 7, in the recording and here; checked at step 7, when that event is known</td></tr>
 * <tr><td>22, 24 and 31</td><td>the connection closed without a reply: it must close here too</td></tr>
 * </table>
 */
class RecordedScenariosTest {
    @TestFactory
    Stream<DynamicTest> devmongoRepliesAsMongoDbDid() {
        return Recording.NAMES.stream()
                .map(name -> DynamicTest.dynamicTest(name, () -> {
                    try (RecordedScenario scenario = new RecordedScenario(Recording.load(name))) {
                        scenario.replay();
                    }
                }));
    }
}
