/** Whether a file is damaged or is not a database: a retry cannot succeed. */
export function isCorruption(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));
}

/** Whether a file has the tables of another program: the log's own statements are fixed and valid, so an SQL error means foreign tables. */
export function hasForeignSchema(error: unknown): boolean {
  return codeOf(error) === "SQLITE_ERROR";
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
