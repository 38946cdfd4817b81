import { runProgram } from "../load/run-program.ts";
import { startSseMock } from "../mock/sse-mock.ts";
import { tollgate } from "../systems/tollgate.ts";
import { billedBy, mustBeTokens } from "./billed.ts";
import { must } from "./must.ts";

const MODEL = "sse-50-5";
const STREAMS = 60;

export interface StreamCounts {
  readonly ok: boolean;
  readonly errors: Readonly<Record<string, number>>;
  readonly streams: number;
  readonly whole: number;
  readonly chunks: number;
}

/** Streams have every chunk in order, usage and `[DONE]`, and the charged tokens are equal to the issued tokens. */
export async function streamsAreWhole(): Promise<string> {
  const mock = await startSseMock();
  try {
    const gateway = await tollgate.start({ upstream: mock.upstream, models: { [MODEL]: MODEL } });
    try {
      const before = await billedBy(gateway);
      const target = { ...gateway.target, model: MODEL };
      const { said } = await runProgram<StreamCounts>("streams", { target, streams: STREAMS, repeats: 2, staggerMs: 200 });
      must(said.ok && said.whole === 2 * STREAMS, `of ${said.streams} streams ${said.whole} were whole: ${JSON.stringify(said.errors)}`);
      const { promptTokens, completionTokens } = await mock.counters();
      mustBeTokens(before, await billedBy(gateway), said.streams, promptTokens, completionTokens);
      return `${said.streams} streams had each of their ${said.chunks} chunks and [DONE], and the billed amount equals the issued amount`;
    } finally {
      await gateway.stop();
    }
  } finally {
    await mock.stop();
  }
}
