import { join } from "node:path";
import { findPostgres } from "./find-postgres.ts";
import { asUser } from "./unprivileged-user.ts";

/** Runs a program of PostgreSQL as this user. If it fails, throws an error with its output. */
export async function runProgram(user: string | undefined, cwd: string, program: string, ...options: string[]): Promise<void> {
  const child = Bun.spawn(asUser(user, join(findPostgres()!, program), ...options), { cwd, stdio: ["ignore", "ignore", "pipe"] });
  if ((await child.exited) !== 0) throw new Error(`${program} failed: ${await new Response(child.stderr).text()}`);
}
