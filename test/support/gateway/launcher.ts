import { join } from "node:path";

let isBuilt = false;

/** The program that users run, `bin/tollgate`, with an up-to-date build. */
export function launcher(): string {
  ensureBuilt();
  return join(import.meta.dir, "../../../bin/tollgate");
}

/**
 * Builds the gateway and the console where a build is missing or older than its sources, so that a single test can be run right after
 * `npm ci` or an edit. Only tests that start a process or read the built console pay for it. `scripts/install` takes a lock, so that
 * tests that run in parallel build once; where nothing has changed it takes 0.04 s, once per test file.
 */
export function ensureBuilt(): void {
  if (isBuilt) return;
  const { exitCode, stderr } = Bun.spawnSync([join(import.meta.dir, "../../../scripts/install"), "everything", "gateway", "console"]);
  if (exitCode !== 0) throw new Error(`The build failed: ${stderr.toString()}`);
  isBuilt = true;
}
