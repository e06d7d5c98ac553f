/**
 * The proof of "nothing lost, nothing reordered": what was written and what arrived, per consumer and document. In:
 * {@link dev.sluice.testkit.ledger.Recorder} calls from writers and consumers, of this process or (through {@link
 * dev.sluice.testkit.ledger.LedgerFile}) of others that may be killed. Out: a {@link
 * dev.sluice.testkit.ledger.LedgerReport}. Depends on: nothing.
 */
@NullMarked
package dev.sluice.testkit.ledger;

import org.jspecify.annotations.NullMarked;
