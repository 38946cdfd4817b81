import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

/**
 * Runs a client to its end and returns what it prints. It has only this environment; an error contains its complete output. If it does not
 * end within the limit, it is killed together with the processes that it started, which have its output open.
 */
export async function runClient(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  limitMs = WAIT_LIMIT_MS,
): Promise<string> {
  const child = Bun.spawn([...command], { cwd, env: { ...env }, stdin: "ignore", stdout: "pipe", stderr: "pipe", detached: true });
  const limit = setTimeout(() => process.kill(-child.pid, "SIGKILL"), limitMs);
  const [output, trouble] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  clearTimeout(limit);
  if (child.exitCode !== 0)
    throw new Error(`${command.join(" ")} ended with ${child.exitCode ?? child.signalCode}:\n${output}\n${trouble}`);
  return output;
}
