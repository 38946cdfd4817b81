import { expect } from "bun:test";
import { runTollgate, type CommandOptions, type Outcome } from "../support/gateway/run-tollgate.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";

/** Runs command lines against a gateway. */
export interface CommandRunner {
  /** Runs a command line; arguments with spaces are in single quotes. */
  run(line: string, options?: CommandOptions): Promise<Outcome>;
  /** The stdout of a command line that must succeed. */
  text(line: string, options?: CommandOptions): Promise<string>;
  /** The parsed output of a command line with `--json`. */
  json<T>(line: string, options?: CommandOptions): Promise<T>;
}

export function commandRunner(gateway: RunningGateway): CommandRunner {
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
