import { relays, type BenchRun } from "../bench-run.ts";
import { loadPer, ownerPer } from "../protocol/measure-part.ts";
import type { Scenario } from "../report/result.ts";
import { ABOUT_PROCESSES } from "./about-processes.ts";
import { measureJson } from "./json-load.ts";
import { ABOUT_SMALL_JSON, SMALL_JSON } from "./s1-small-json.ts";

export async function peersJson(run: BenchRun): Promise<Scenario> {
  return {
    id: "P1",
    title: "Peers: small JSON",
    load: ABOUT_SMALL_JSON,
    parts: [await measureJson({ ...run, systems: relays(run) }, { ...SMALL_JSON, figures: [ownerPer("request"), loadPer("request")] })],
    notes: [
      "Every response of the warm-up is compared with the upstream's: nginx and Tollgate must keep its bytes (Tollgate all but the model's public name). Portkey, Bifrost and LiteLLM serialize JSON again, so text and finish reason of every choice and the token counts are compared. In the measured rounds every response must have status 200.",
      ABOUT_PROCESSES,
      "Load and upstream share the first core with this program. If they use nearly all of it, as with nginx, requests per second are limited by them; CPU per request is not.",
    ],
  };
}
