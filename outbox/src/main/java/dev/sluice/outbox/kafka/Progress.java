package dev.sluice.outbox.kafka;

import dev.sluice.model.FencingToken;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What one Kafka transaction sent: a record in the progress topic, committed together with the rows. Readable:
 * {@code {"outbox":"9c1f…","epoch":"1.7","batch":12,"ids":"1-500,503"}}.
 *
 * @param outbox the identity of the database the rows are in: in another one the ids mean other rows
 * @param batch its number, see {@link Recall}; records of the first versions have none
 */
record Progress(String outbox, FencingToken token, OptionalLong batch, List<Long> ids) {
    private static final Pattern FORM = Pattern.compile(
            "\\{\"outbox\":\"([^\"]*)\",\"epoch\":\"(\\d+)\\.(\\d+)\"(?:,\"batch\":(\\d+))?,\"ids\":\"([-,\\d]*)\"}");

    byte[] toBytes() {
        StringBuilder text = new StringBuilder("{\"outbox\":\"")
                .append(outbox)
                .append("\",\"epoch\":\"")
                .append(token)
                .append('"');
        batch.ifPresent(number -> text.append(",\"batch\":").append(number));
        text.append(",\"ids\":\"");
        List<Long> sorted = ids.stream().sorted().toList();
        for (int first = 0; first < sorted.size(); ) {
            int last = first;
            while (last + 1 < sorted.size() && sorted.get(last + 1) == sorted.get(last) + 1) {
                last++;
            }
            text.append(first == 0 ? "" : ",").append(sorted.get(first));
            if (last > first) {
                text.append('-').append(sorted.get(last));
            }
            first = last + 1;
        }
        return text.append("\"}").toString().getBytes(StandardCharsets.UTF_8);
    }

    /** @throws IllegalStateException for what is no progress record */
    static Progress of(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        Matcher found = FORM.matcher(text);
        if (!found.matches()) {
            throw new IllegalStateException("the progress topic holds something that is no progress: " + text);
        }
        List<Long> ids = new ArrayList<>();
        for (String range : found.group(5).split(",")) {
            String[] ends = range.split("-");
            if (!range.isEmpty()) {
                for (long id = Long.parseLong(ends[0]); id <= Long.parseLong(ends[ends.length - 1]); id++) {
                    ids.add(id);
                }
            }
        }
        FencingToken token = new FencingToken(Long.parseLong(found.group(2)), Long.parseLong(found.group(3)));
        String number = found.group(4);
        OptionalLong batch = number == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(number));
        return new Progress(found.group(1), token, batch, ids);
    }
}
