import { expect } from "bun:test";
import { runTollgate, type CommandOptions, type Outcome } from "../run-tollgate.ts";
import type { RunningGateway } from "../start-gateway.ts";

/** The command line beside a gateway, as somebody types it. */
export interface Typed {
  /** Runs a line; words with spaces are in single quotes. */
  run(line: string, options?: CommandOptions): Promise<Outcome>;
  /** What a line prints, which must go well. */
  text(line: string, options?: CommandOptions): Promise<string>;
  /** The same with `--json`, read. */
  json<T>(line: string, options?: CommandOptions): Promise<T>;
}

export function typed(gateway: RunningGateway): Typed {
  const run = (line: string, options: CommandOptions = {}): Promise<Outcome> => {
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
    return runTollgate(gateway, words, options);
  };
  const text = async (line: string, options: CommandOptions = {}): Promise<string> => {
    const { code, stdout, stderr } = await run(line, options);
    expect([line, code, stderr]).toEqual([line, 0, ""]);
    return stdout;
  };
  const json = async <T>(line: string, options: CommandOptions = {}): Promise<T> => JSON.parse(await text(`${line} --json`, options)) as T;
  return { run, text, json };
}
