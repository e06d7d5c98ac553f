package dev.sluice.outbox.relay;

/** Is opened only under a number of claims that this relay's settings go together with; tried again, it says why not. */
record FittingSink(Sink sink, LayoutRule rule) implements Sink {
    @Override
    public Channel open(Opening opening) throws SinkUnavailableException, InterruptedException {
        var objection = rule.objection(opening.partitions());
        if (objection.isPresent()) {
            throw new SinkUnavailableException(objection.get(), false, null);
        }
        return sink.open(opening);
    }

    @Override
    public boolean remembers() {
        return sink.remembers();
    }

    @Override
    public void probe() throws SinkUnavailableException, InterruptedException {
        sink.probe();
    }

    @Override
    public void close() {
        sink.close();
    }
}
