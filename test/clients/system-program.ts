import { existsSync } from "node:fs";

/**
 * The path of a program of the system, under the first of its names that there is. A Debian machine that lets us installs the
 * package; on others one line says what is missing, and the tests that need it are skipped.
 */
export function findProgram(names: readonly string[], debianPackage: string): string | undefined {
  const found = firstInPath(names) ?? (mayInstall() && install(debianPackage) ? firstInPath(names) : undefined);
  if (!found) process.stderr.write(`Skipped: these tests need ${names.join(" or ")}. On Debian: apt-get install ${debianPackage}\n`);
  return found;
}

function firstInPath(names: readonly string[]): string | undefined {
  return names.map((name) => Bun.which(name)).find((path) => path !== null) ?? undefined;
}

function mayInstall(): boolean {
  return existsSync("/etc/debian_version") && Bun.which("apt-get") !== null && process.getuid?.() === 0;
}

function install(debianPackage: string): boolean {
  process.stderr.write(`Installing ${debianPackage} ...\n`);
  return run("apt-get", "update") && run("apt-get", "install", "-y", "--no-install-recommends", debianPackage);
}

function run(...command: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return Bun.spawnSync(command, { env, stdin: "ignore", stdout: "ignore", stderr: "ignore" }).success;
}
