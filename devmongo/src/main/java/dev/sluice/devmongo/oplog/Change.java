package dev.sluice.devmongo.oplog;

import dev.sluice.devmongo.token.ResumeToken;

/**
 * One change event as it will be sent, encoded once when it entered the oplog.
 *
 * @param event the whole event with {@code fullDocument: default}
 * @param fullDocumentAt the offset in the event at which a looked-up {@code fullDocument} belongs
 */
public record Change(Mutation mutation, ResumeToken token, int operationIndex, byte[] event, int fullDocumentAt) {}
