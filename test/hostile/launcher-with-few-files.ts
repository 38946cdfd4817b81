import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../start-gateway.ts";

/** The launcher of a process that may open so many files, and its folder, which the test removes. */
export function launcherWithFewFiles(files: number): { launcher: string; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-files-"));
  const launcher = join(folder, "tollgate");
  writeFileSync(launcher, `#!/bin/sh\nulimit -n ${files}\nexec "${join(ROOT, "bin/tollgate")}" "$@"\n`);
  chmodSync(launcher, 0o755);
  return { launcher, folder };
}
