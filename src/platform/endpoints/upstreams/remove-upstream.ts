import { operators } from "../../../access/access.ts";
import { servedBy } from "../../../models/catalog.ts";
import { summarizeList } from "../../../lib/text/summarize-list.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { describeUpstream } from "../../../models/declared-upstream.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findOwnUpstream } from "./find-upstream.ts";
import { upstreamSchema, viewUpstream } from "./upstream-view.ts";

/** DELETE /api/upstreams/:id: removes an upstream that serves no model, with its credentials. Requests in flight finish. */
export function removeUpstream(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/upstreams/:id",
    access: operators("upstreams:write"),
    operationId: "removeUpstream",
    summary: "Remove an upstream that serves no model, with its credentials",
    reply: { status: 200, description: "The removed upstream.", json: upstreamSchema },
    async run({ param, change }) {
      const id = param("id");
      const { removed } = await platform.catalog.removeUpstream(id, () => {
        const upstream = findOwnUpstream(id, platform);
        refuseInUse(id, servedBy(id, platform.catalog.snapshot()));
        const what = { before: describeUpstream(upstream), after: null };
        return { removed: viewUpstream(upstream, platform), change: change("upstream.remove", { kind: "upstream", id }, what) };
      });
      return removed;
    },
  });
}

function refuseInUse(id: string, models: readonly string[]): void {
  if (models.length === 0) return;
  throw new ApiError("still_in_use", `The upstream ${id} serves ${summarizeList(models)}. Give each another route, or retire it, first.`);
}
