import { existsSync, readFileSync } from "node:fs";

/** The user for a server that cannot run as root; undefined if the tests do not run as root. */
export function unprivilegedUser(): string | undefined {
  return process.getuid?.() === 0 ? ["postgres", "nobody"].find((user) => idOf(user) > 0) : undefined;
}

/** The user ID; -1 if there is no such user. */
export function idOf(user: string): number {
  const passwd = existsSync("/etc/passwd") ? readFileSync("/etc/passwd", "utf8") : "";
  return Number(new RegExp(`^${user}:[^:]*:(\\d+):`, "m").exec(passwd)?.[1] ?? -1);
}

/** The command line that runs a command as this user. */
export function asUser(user: string | undefined, ...command: string[]): string[] {
  return user ? ["setpriv", `--reuid=${user}`, "--clear-groups", "--", ...command] : command;
}
