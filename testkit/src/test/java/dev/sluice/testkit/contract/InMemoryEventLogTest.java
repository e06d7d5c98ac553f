package dev.sluice.testkit.contract;

import dev.sluice.log.EventLog;
import dev.sluice.log.InMemoryEventLog;
import dev.sluice.log.SegmentLimits;

class InMemoryEventLogTest extends EventLogContract {
    @Override
    protected EventLog open(SegmentLimits limits) {
        return new InMemoryEventLog(limits);
    }
}
