package dev.sluice.stream;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.log.EventRecord;
import dev.sluice.log.EventRecordEncoder;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

class EventFormsTest {
    private final TestLog log = new TestLog();

    @Test
    void aFormIsMadeOnceHoweverManyConsumersWantIt() {
        EventForms forms = new EventForms(1 << 20);
        EventRecord event = EventRecord.of(log.insert(2, "c", "d", 1));
        byte[] first = forms.body("a", event, DocumentEncoding.JSON, false);
        IntStream.range(0, 50)
                .parallel()
                .forEach(k -> assertThat(forms.body("a", event, DocumentEncoding.JSON, false))
                        .isSameAs(first));
        assertThat(forms.made()).isEqualTo(1);
        assertThat(forms.body("b", event, DocumentEncoding.JSON, false)).isNotSameAs(first);
    }

    @Test
    void whatIsKeptIsBounded() {
        EventForms forms = new EventForms(10_000);
        EventRecord first = EventRecord.of(log.insert(2, "c", "d", 1));
        byte[] made = forms.body("a", first, DocumentEncoding.JSON, false);
        for (int t = 3; t < 200; t++) {
            forms.body("a", EventRecord.of(log.insert(t, "c", "d", t)), DocumentEncoding.JSON, false);
        }
        assertThat(forms.body("a", first, DocumentEncoding.JSON, false))
                .isNotSameAs(made)
                .isEqualTo(made);
    }

    @Test
    void aFormWithAPreImageIsNotTakenForOneWithout() {
        EventForms forms = new EventForms(1 << 20);
        EventRecord event = new EventRecordEncoder()
                .event(log.event(2, Operation.DELETE, "t", "c", "d", null, null))
                .before(RawBson.of(BsonDocument.parse("{was: 7}")))
                .encode();
        byte[] whole = forms.body("a", event, DocumentEncoding.JSON, false);
        byte[] without = forms.body("a", event.withoutBefore(), DocumentEncoding.JSON, false);
        assertThat(new String(whole, UTF_8)).contains("{\"was\": 7}");
        assertThat(new String(without, UTF_8)).doesNotContain("was");
    }

    @Test
    void theLastStateIsAReplaceWithoutUpdateDescription() {
        EventRecord update = EventRecord.of(log.event(2, Operation.UPDATE, "t", "c", "d", 1L, 2L));
        byte[] body = EventForm.of(update, false, true);
        EventRecord expected = EventRecord.of(log.event(2, Operation.REPLACE, "t", "c", "d", 1L, null));
        String text = new String(body, ISO_8859_1);
        assertThat(text).contains("replace").doesNotContain("update");
        assertThat(body).hasSize(expected.bodyLength());
    }
}
