import type { BenchRun } from "../bench-run.ts";
import { MODEL } from "../mock/answer.ts";
import { QUESTION } from "../question.ts";
import type { Scenario } from "../report/result.ts";
import { bunFetch } from "../systems/bun-fetch.ts";
import { measureJson } from "./json-load.ts";

const CONNECTIONS = 16;
const WARM_UP = 40_000;

export async function smallJson(run: BenchRun): Promise<Scenario> {
  const body = JSON.stringify({ model: MODEL, messages: QUESTION, max_tokens: 100 });
  return {
    id: "S1",
    title: "Small JSON",
    load: `A question of ${body.length} bytes, an answer of about 600, over ${CONNECTIONS} connections that ask again when they are answered.`,
    parts: [
      await measureJson(
        { ...run, systems: [...run.systems, bunFetch] },
        { name: "small JSON", body, connections: CONNECTIONS, warmUp: WARM_UP },
      ),
    ],
    notes: [],
  };
}
