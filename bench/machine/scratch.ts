import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Temporary files of a run. They are removed when the process ends. */
let folder: string | null = null;

/** A new folder, readable by other users, because nginx's worker may run as another one. */
export function scratchFolder(name: string): string {
  if (folder === null) {
    folder = mkdtempSync(join(tmpdir(), "tollgate-bench-"));
    chmodSync(folder, 0o755);
    process.once("exit", () => rmSync(folder!, { recursive: true, force: true }));
  }
  const made = mkdtempSync(join(folder, `${name}-`));
  chmodSync(made, 0o755);
  return made;
}
