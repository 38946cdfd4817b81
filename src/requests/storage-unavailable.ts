/**
 * Why the database cannot be used: the disk is full, another process has locked it, it cannot be written to, the disk fails, or the server
 * does not answer.
 */
export type StorageProblem = "full" | "locked" | "read-only" | "failing" | "unreachable";

const WORDS: Readonly<Record<StorageProblem, string>> = {
  full: "its disk is full",
  locked: "another process has locked it",
  "read-only": "it is read-only",
  failing: "its files cannot be read or written",
  unreachable: "its server does not answer",
};

/** The database cannot be used at the moment. The same call may succeed later; the cause is only for the log. */
export class StorageUnavailable extends Error {
  constructor(problem: StorageProblem, options: { readonly cause: unknown }) {
    super(`the database cannot be used at the moment: ${WORDS[problem]}`, options);
    this.name = "StorageUnavailable";
  }
}
