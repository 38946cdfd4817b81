import { relays, type BenchRun } from "../bench-run.ts";
import type { Scenario } from "../report/result.ts";
import { measureJson } from "./json-load.ts";
import { ABOUT_SMALL_JSON, SMALL_JSON } from "./s1-small-json.ts";

export async function peersJson(run: BenchRun): Promise<Scenario> {
  return {
    id: "P1",
    title: "Peers: small JSON",
    load: ABOUT_SMALL_JSON,
    parts: [await measureJson({ ...run, systems: relays(run) }, SMALL_JSON)],
    notes: [
      "Every response of the warm-up is compared with the upstream's: nginx and Tollgate must keep its bytes (Tollgate all but the model's public name). Portkey, Bifrost and LiteLLM serialize JSON again, so text and finish reason of every choice and the token counts are compared. In the measured rounds every response must have status 200.",
    ],
  };
}
