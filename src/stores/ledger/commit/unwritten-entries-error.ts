/** The error for an operator when the ledger closes with entries that are not in the database, and what happens to them. */
export function unwrittenEntriesError(failure: Error, unwritten: number, journaled: number): Error {
  const inJournal = `${count(journaled)} in ledger-journal, and the next start writes ${journaled === 1 ? "it" : "them"} to the database`;
  const lost = unwritten - journaled;
  // No caller received a complete response, and no operator a success, before its entry was durable.
  const inMemory = `${count(lost)} in no file: no caller received a success, and the next start closes the holds of their requests`;
  const parts = [...(journaled > 0 || lost === 0 ? [inJournal] : []), ...(lost > 0 ? [inMemory] : [])];
  return new Error(`the database cannot be written (${failure.message}): ${parts.join("; ")}`);
}

function count(entries: number): string {
  return entries === 1 ? "1 entry is" : `${entries} entries are`;
}
