/** Whether a file is damaged or no database: a retry cannot succeed. */
export function isCorruption(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));
}

/** Whether a file has the tables of another program: our statements are fixed and valid, so an SQL error means that. */
export function hasForeignSchema(error: unknown): boolean {
  return codeOf(error) === "SQLITE_ERROR";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
