import type { ProgramResult } from "./run-program.ts";

/** The summary of samples: bench/load/README.md. */
export interface Samples {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

export interface ClientResult {
  readonly ok: boolean;
  readonly errors: Readonly<Record<string, number>>;
}

/** The number of errors that a load client reports. */
export function wrongIn({ said }: ProgramResult<ClientResult>): number {
  const errors = Object.values(said.errors).reduce((sum, count) => sum + count, 0);
  return said.ok ? errors : Math.max(1, errors);
}
