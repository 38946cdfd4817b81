const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EISDIR: "is a folder",
  EACCES: "cannot be read: permission denied",
};

/**
 * Why a file cannot be read, as a clause that follows its name; undefined for an error of another kind. The clause replaces Node.js's
 * message, which repeats the path.
 */
export function fileProblem(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  return code === undefined ? undefined : (PROBLEMS[code] ?? `cannot be read: ${code}`);
}
