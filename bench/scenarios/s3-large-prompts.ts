import type { BenchRun } from "../bench-run.ts";
import { MODEL } from "../mock/answer.ts";
import type { Scenario } from "../report/result.ts";
import { measureJson } from "./json-load.ts";

const CONNECTIONS = 8;
const SIZES = [
  { name: "100 KB", bytes: 100_000, warmUp: 6000 },
  { name: "1 MB", bytes: 1_000_000, warmUp: 1000 },
] as const;

export async function largePrompts(run: BenchRun): Promise<Scenario> {
  const parts = [];
  for (const { name, bytes, warmUp } of SIZES) {
    parts.push(await measureJson(run, { name, body: promptOf(bytes), connections: CONNECTIONS, warmUp }));
  }
  return {
    id: "S3",
    title: "Large prompts",
    load: `Prompts of 100 KB and of 1 MB, an answer of about 600 bytes, over ${CONNECTIONS} connections.`,
    parts,
    notes: [],
  };
}

/** A conversation of many messages with line breaks, quotes and non-ASCII characters. */
function promptOf(bytes: number): string {
  const text = 'She said: "the gate is closed", and went on.\nÜber den Zoll sprach niemand. '.repeat(13);
  const messages = Array.from({ length: Math.floor(bytes / 1100) }, (_, at) => ({ role: at % 2 ? "assistant" : "user", content: text }));
  return JSON.stringify({ model: MODEL, messages, max_tokens: 100 });
}
