import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../support/gateway/start-gateway.ts";
import { WAIT_LIMIT_MS } from "../../support/wait-limit.ts";

/** Git ignores the folder with the rest of node_modules; an `npm ci` removes it. */
const FOLDER = join(ROOT, "node_modules", ".cache", "client-packages");

const MANIFEST = "package.json";
const LOCK = "bun.lock";

/**
 * Installs missing clients, 400 MB, and returns their folder. If that is impossible, one line gives the reason and the tests are skipped;
 * in CI they fail. Bun installs them in a tenth of npm's time. No install scripts are run, so they download nothing.
 */
export function installPackages(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return skip("the clients are pinned for Linux on x64");
  if (isInstalled()) return FOLDER;
  process.stderr.write("Installing the clients of test/clients/packages ...\n");
  mkdirSync(FOLDER, { recursive: true });
  for (const file of [MANIFEST, LOCK]) copyFileSync(join(import.meta.dir, file), join(FOLDER, file));
  // The optional packages are for other platforms, and 2 GB of promptfoo's providers.
  const options = ["--frozen-lockfile", "--ignore-scripts", "--omit=optional", "--omit=peer"];
  const limits = { timeout: WAIT_LIMIT_MS, killSignal: "SIGKILL" } as const;
  const { success, stderr, exitedDueToTimeout } = Bun.spawnSync([process.execPath, "install", ...options], { cwd: FOLDER, ...limits });
  if (exitedDueToTimeout) return skip(`bun install has not finished within ${WAIT_LIMIT_MS / 1000} s`);
  if (!success) return skip(/^error: .*$/m.exec(stderr.toString())?.[0] ?? stderr.toString());
  copyFileSync(join(import.meta.dir, LOCK), installedLock());
  return FOLDER;
}

/** Written last, so that an interrupted installation starts again. */
function installedLock(): string {
  return join(FOLDER, "installed.lock");
}

function isInstalled(): boolean {
  try {
    return readFileSync(installedLock(), "utf8") === readFileSync(join(import.meta.dir, LOCK), "utf8");
  } catch {
    return false;
  }
}

function skip(reason: string): undefined {
  const message = `the clients of test/clients/packages are not installed: ${reason}`;
  if (process.env["CI"]) throw new Error(message);
  process.stderr.write(`Skipped: ${message}\n`);
}
