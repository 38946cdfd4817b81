/** Whether an error says that a file is no database, or not a sound one: nothing will come of trying again. */
export function isCorruption(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));
}

/** Whether an error says that the tables are not ours: what we ask for is always the same, and always right. */
export function hasForeignSchema(error: unknown): boolean {
  return codeOf(error) === "SQLITE_ERROR";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
