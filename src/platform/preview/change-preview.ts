import type { Exchange } from "../../http/endpoint.ts";
import type { ReadOnlyCall } from "../operation.ts";
import type { Platform } from "../platform.ts";
import { viewPreview } from "./preview-view.ts";
import { Replay } from "./replay.ts";
import type { Simulation } from "./simulation.ts";
import { Reply } from "../../lib/http1/server/reply.ts";

const SPAN_MS = 7 * 24 * 60 * 60 * 1000;
/** Requests that were admitted up to this long before the range may still be in flight at its start. Hardly a request takes longer. */
const LEAD_MS = 60 * 60 * 1000;

/**
 * Simulates a change on the requests of the last seven days by replaying their admission from the ledger. Nothing is saved. Other
 * requests are served meanwhile.
 */
export function previewChange(
  simulation: Simulation,
  { actor, exchange }: Pick<ReadOnlyCall, "actor" | "exchange">,
  platform: Platform,
): Promise<Reply> {
  return platform.reportLimit.run(actor, "preview", () => replayed(simulation, exchange, platform));
}

async function replayed(simulation: Simulation, exchange: Exchange, platform: Platform): Promise<Reply> {
  // No idle timeout: nothing is sent until all entries were read.
  exchange.setIdleTimeout(0);
  const toMs = platform.nowMs();
  const fromMs = toMs - SPAN_MS;
  const replay = new Replay(await simulation.startAdmission(fromMs), fromMs);
  for (const concerned of simulation.concerns) {
    const filter = { ...concerned, sinceMs: fromMs - LEAD_MS };
    await platform.requestHistory.each(filter, (requests) => requests.forEach((each) => replay.add(each)), exchange.request.signal);
  }
  return Reply.json(viewPreview(simulation, replay.sums, { fromMs, toMs }, platform));
}
