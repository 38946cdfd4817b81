import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
const BUILT = ["src", "console", "docs", "openapi", "package.json", "package-lock.json"];

/**
 * A `define` of a build: the commit that is built, with `-dirty` if its files have changed since. Without a clone it is BUILD_COMMIT, as in
 * the container image, or unknown.
 */
export function defineCommit(): Record<string, string> {
  const commit = process.env["BUILD_COMMIT"] || commitOfClone();
  return { TOLLGATE_COMMIT: commit === undefined ? "null" : JSON.stringify(commit) };
}

/** A repository in a folder above this one belongs to another program. */
function commitOfClone(): string | undefined {
  if (git("rev-parse", "--show-prefix") !== "") return undefined;
  const commit = git("rev-parse", "--short=12", "HEAD");
  if (!commit) return undefined;
  return git("status", "--porcelain", "--untracked-files=no", "--", ...BUILT) === "" ? commit : `${commit}-dirty`;
}

/** Undefined if git is not installed or fails. */
function git(...args: string[]): string | undefined {
  try {
    const { success, stdout } = Bun.spawnSync(["git", ...args], { cwd: ROOT, stderr: "ignore" });
    return success ? stdout.toString().trim() : undefined;
  } catch {
    return undefined;
  }
}
