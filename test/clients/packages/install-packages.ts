import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../support/gateway/start-gateway.ts";
import { WAIT_LIMIT_MS } from "../../support/wait-limit.ts";

/** Git ignores the folder with the rest of node_modules; an `npm ci` removes it. */
const CACHE = join(ROOT, "node_modules", ".cache");

const MANIFEST = "package.json";
const LOCK = "bun.lock";

/**
 * Installs the missing packages of a manifest in this project, hundreds of megabytes, and returns their folder. If that is impossible, one
 * line gives the reason and the tests are skipped; in CI they fail. Bun installs them in a tenth of npm's time. No install scripts are run,
 * so they download nothing.
 */
export function installPackages(manifests = "test/clients/packages", isLatest = false): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return skip(manifests, "they are pinned for Linux on x64");
  const source = join(ROOT, manifests);
  const folder = join(CACHE, manifests.replaceAll("/", "-") + (isLatest ? "-latest" : ""));
  if (!isLatest && isInstalled(source, folder)) return folder;
  process.stderr.write(`Installing the packages of ${manifests} ...\n`);
  mkdirSync(folder, { recursive: true });
  for (const file of [MANIFEST, LOCK]) copyFileSync(join(source, file), join(folder, file));
  if (isLatest) useLatest(folder);
  // The optional packages are for other platforms, and 2 GB of promptfoo's providers.
  const options = [...(isLatest ? [] : ["--frozen-lockfile"]), "--ignore-scripts", "--omit=optional", "--omit=peer"];
  const limits = { timeout: WAIT_LIMIT_MS, killSignal: "SIGKILL" } as const;
  const { success, stderr, exitedDueToTimeout } = Bun.spawnSync([process.execPath, "install", ...options], { cwd: folder, ...limits });
  if (exitedDueToTimeout) return skip(manifests, `bun install has not finished within ${WAIT_LIMIT_MS / 1000} s`);
  if (!success) return skip(manifests, /^error: .*$/m.exec(stderr.toString())?.[0] ?? stderr.toString());
  if (!isLatest) copyFileSync(join(source, LOCK), join(folder, INSTALLED));
  return folder;
}

/** The latest version of every package. A platform's build of Codex is a version of its own, named after the version of all. */
function useLatest(folder: string): void {
  rmSync(join(folder, LOCK), { force: true });
  const path = join(folder, MANIFEST);
  const manifest = JSON.parse(readFileSync(path, "utf8")) as { dependencies: Record<string, string> };
  for (const [name, pinned] of Object.entries(manifest.dependencies)) {
    const [, alias, suffix] = /^npm:(.+)@[\d.]+(-.*)$/.exec(pinned) ?? [];
    manifest.dependencies[name] = alias === undefined ? latestOf(name) : `npm:${alias}@${latestOf(alias)}${suffix}`;
  }
  writeFileSync(path, JSON.stringify(manifest));
}

/** Written last, so that an interrupted installation starts again. */
const INSTALLED = "installed.lock";

function isInstalled(source: string, folder: string): boolean {
  try {
    return readFileSync(join(folder, INSTALLED), "utf8") === readFileSync(join(source, LOCK), "utf8");
  } catch {
    return false;
  }
}

function skip(manifests: string, reason: string): undefined {
  const message = `the packages of ${manifests} are not installed: ${reason}`;
  if (process.env["CI"]) throw new Error(message);
  process.stderr.write(`Skipped: ${message}\n`);
}

function latestOf(name: string): string {
  return Bun.spawnSync(["npm", "view", name, "version"]).stdout.toString().trim();
}
