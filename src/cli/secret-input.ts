import { UsageError } from "./command.ts";

/** Reads a secret from stdin. It never prompts: in a terminal it explains how to pipe the secret in. */
export async function readSecretInput(what: string): Promise<string> {
  if (process.stdin.isTTY) throw new UsageError(`${what} is read from stdin, which is a terminal here: pipe it in`);
  const text = (await Bun.stdin.text()).trim();
  if (text === "") throw new UsageError(`${what} is read from stdin, which is empty`);
  return text;
}
