import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launcher } from "../support/gateway/launcher.ts";

/** The launcher of a process that may open this many files, and its folder, which the test removes. */
export function launcherWithFewFiles(files: number): { launcher: string; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-files-"));
  const limited = join(folder, "tollgate");
  writeFileSync(limited, `#!/bin/sh\nulimit -n ${files}\nexec "${launcher()}" "$@"\n`);
  chmodSync(limited, 0o755);
  return { launcher: limited, folder };
}
