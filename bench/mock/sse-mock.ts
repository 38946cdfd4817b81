import { join } from "node:path";
import { LOAD_CORES } from "../machine/cores.ts";
import { firstLine, startProcess } from "../machine/start-process.ts";
import type { Upstream } from "../systems/system.ts";
import type { Certificate } from "./json-mock.ts";

export interface Counters {
  readonly answers: number;
  readonly opened: number;
  readonly finished: number;
  readonly aborted: number;
  readonly open: number;
  readonly chunks: number;
  /** Chunks that were sent when the next one of their stream was already due. */
  readonly lateChunks: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface SseMock {
  readonly pid: number;
  readonly url: string;
  readonly upstream: Upstream;
  readonly port: number;
  counters(): Promise<Counters>;
  stop(): Promise<void>;
}

/** The streaming mock upstream. The model name selects the stream: bench/load/README.md. */
export async function startSseMock(tls?: Certificate): Promise<SseMock> {
  const argument = { port: 0, ...(tls && { tls: { cert: tls.cert, key: tls.key } }) };
  const command = [process.execPath, join(import.meta.dir, "../load/sse-mock.ts"), JSON.stringify(argument)];
  const child = startProcess(LOAD_CORES, command, { stdout: "pipe" });
  const { url, tlsUrl } = await firstLine<{ url: string; tlsUrl: string | null }>(child);
  return {
    pid: child.pid,
    url,
    port: Number(new URL(url).port),
    upstream: tls ? { url: `${tlsUrl}/v1`, authority: tls.authority } : { url: `${url}/v1` },
    counters: async () => (await (await fetch(`${url}/counters`)).json()) as Counters,
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}
