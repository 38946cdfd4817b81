import { join } from "node:path";

const ROOT = join(import.meta.dir, "../../..");

const built = new Set<string>();

/**
 * The gateway that `bin/tollgate` runs, built from the current sources. The launcher itself is tested in test/built-gateway and
 * test/package.
 */
export function launcher(): string {
  ensureBuilt();
  return join(import.meta.dir, "tollgate");
}

/** The single executable for this machine, built from the current sources. */
export function executable(): string {
  ensureBuilt("console", "executable");
  return join(ROOT, "dist/executable/tollgate");
}

/**
 * Builds the gateway and the console, or other parts, if a build is missing or older than its sources, so that a single test can be run
 * right after `npm ci` or an edit. Only tests that start a process or read the built console need the time for it. `scripts/install` takes
 * a lock, so that tests that run in parallel build once; if nothing has changed it takes 0.04 s, once per test file.
 */
export function ensureBuilt(...parts: readonly string[]): void {
  const wanted = parts.length === 0 ? ["gateway", "console"] : parts;
  if (built.has(wanted.join())) return;
  const { exitCode, stderr } = Bun.spawnSync([join(ROOT, "scripts/install"), "everything", ...wanted]);
  if (exitCode !== 0) throw new Error(`The build failed: ${stderr.toString()}`);
  built.add(wanted.join());
}
