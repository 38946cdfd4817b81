import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** All that a run writes besides its results is in here, and goes with the process. */
let folder: string | null = null;

/** A new folder for something. Others may look into it: nginx's worker may run as another user. */
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
