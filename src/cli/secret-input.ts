import { UsageError } from "./command.ts";

/** A secret from the standard input. Nobody is asked for it: at a terminal this explains how to hand it over. */
export async function readSecretInput(what: string): Promise<string> {
  if (process.stdin.isTTY) throw new UsageError(`${what} is read from the standard input, and here that is a terminal: pipe it in`);
  const text = (await Bun.stdin.text()).trim();
  if (text === "") throw new UsageError(`${what} is read from the standard input, and there is nothing in it`);
  return text;
}
