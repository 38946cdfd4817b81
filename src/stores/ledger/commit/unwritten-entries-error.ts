/** Tells an operator which entries are not in the database when the ledger closes, and what becomes of them. */
export function unwrittenEntriesError(failure: Error, unwritten: number, journaled: number): Error {
  const inJournal = `${count(journaled)} in ledger-journal, and the next start writes ${journaled === 1 ? "it" : "them"} to the database`;
  const lost = unwritten - journaled;
  // No caller has seen the end of an answer, and no operator a success, of which the entry was not durable.
  const inMemory = `${count(lost)} in no file: nobody was told of a success, and the next start closes the holds of their requests`;
  const parts = [...(journaled > 0 || lost === 0 ? [inJournal] : []), ...(lost > 0 ? [inMemory] : [])];
  return new Error(`the database cannot be written (${failure.message}): ${parts.join("; ")}`);
}

function count(entries: number): string {
  return entries === 1 ? "1 entry is" : `${entries} entries are`;
}
