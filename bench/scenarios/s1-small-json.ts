import type { BenchRun } from "../bench-run.ts";
import { MODEL } from "../mock/answer.ts";
import { QUESTION } from "../question.ts";
import type { Scenario } from "../report/result.ts";
import { bunFetch } from "../systems/bun-fetch.ts";
import { measureJson, type JsonLoad } from "./json-load.ts";

export const SMALL_JSON: JsonLoad = {
  name: "small JSON",
  body: JSON.stringify({ model: MODEL, messages: QUESTION, max_tokens: 100 }),
  connections: 16,
  warmUp: 40_000,
};

export const ABOUT_SMALL_JSON = `A question of ${SMALL_JSON.body.length} bytes, an answer of about 600, over ${SMALL_JSON.connections} connections that ask again when they are answered.`;

export async function smallJson(run: BenchRun): Promise<Scenario> {
  return {
    id: "S1",
    title: "Small JSON",
    load: ABOUT_SMALL_JSON,
    parts: [await measureJson({ ...run, systems: [...run.systems, bunFetch] }, SMALL_JSON)],
    notes: [],
  };
}
