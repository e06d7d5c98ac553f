package dev.sluice.testkit.contract;

import dev.sluice.capture.ChangeSource;
import dev.sluice.capture.MemoryChangeSource;

class MemoryChangeSourceTest extends ChangeSourceContract {
    private final MemoryChangeSource source = new MemoryChangeSource();

    @Override
    protected ChangeSource source() {
        return source;
    }

    @Override
    protected void commit(String collection, String... ids) {
        for (String id : ids) {
            source.commit(collection, id);
        }
    }

    @Override
    protected void commitTogether(String collection, String... ids) {
        source.commit(collection, ids);
    }

    @Override
    protected void otherWrite() {
        source.otherWrites();
    }

    @Override
    protected boolean forgetHistory() {
        source.rollOver();
        return true;
    }
}
