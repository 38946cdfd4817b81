import type { Exchange } from "../../http/endpoint.ts";
import type { Look } from "../operation.ts";
import type { Platform } from "../platform.ts";
import { viewPreview } from "./preview-view.ts";
import { Replay } from "./replay.ts";
import type { WhatIf } from "./simulation.ts";
import { Reply } from "../../lib/http1/server/reply.ts";

const SPAN_MS = 7 * 24 * 60 * 60 * 1000;
/** What was let in this long before the span, and is under way as it begins, is there. Hardly a request takes longer. */
const LEAD_MS = 60 * 60 * 1000;

/**
 * What a change would have done to the requests of the last seven days, by letting them in once more from the ledger. Nothing is
 * saved. Requests are answered meanwhile.
 */
export function previewChange(whatIf: WhatIf, { actor, exchange }: Pick<Look, "actor" | "exchange">, platform: Platform): Promise<Reply> {
  return platform.fewAtATime.run(actor, "preview", () => replayed(whatIf, exchange, platform));
}

async function replayed(whatIf: WhatIf, exchange: Exchange, platform: Platform): Promise<Reply> {
  // Nothing is sent until all of it was read, however long that takes.
  exchange.setIdleTimeout(0);
  const toMs = platform.nowMs();
  const fromMs = toMs - SPAN_MS;
  const replay = new Replay(await whatIf.judge(fromMs), fromMs);
  const filter = { ...whatIf.concerns, sinceMs: fromMs - LEAD_MS };
  await platform.pastRequests.each(filter, (requests) => requests.forEach((each) => replay.add(each)), exchange.request.signal);
  return Reply.json(viewPreview(whatIf, replay.sums, { fromMs, toMs }, platform));
}
