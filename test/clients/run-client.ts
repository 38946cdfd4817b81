import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

/** Runs a client to its end and returns what it prints. It has only this environment; the error has everything it printed. */
export async function runClient(command: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<string> {
  const child = Bun.spawn([...command], { cwd, env: { ...env }, stdin: "ignore", stdout: "pipe", stderr: "pipe", timeout: WAIT_LIMIT_MS });
  const [output, trouble] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0)
    throw new Error(`${command.join(" ")} ended with ${child.exitCode ?? child.signalCode}:\n${output}\n${trouble}`);
  return output;
}
