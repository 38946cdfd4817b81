import { operators } from "../../../access/access.ts";
import { describeUpstream, declaredUpstreamSchema, toUpstream } from "../../../models/declared-upstream.ts";
import { modelWithHeadersTo } from "../../../models/headers/route-headers.ts";
import { withoutNulls } from "../../../lib/schema/without-nulls.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { refuseField } from "../fields/refuse-field.ts";
import { findUpstream } from "./find-upstream.ts";
import { refuseIdentity } from "./refuse-identity.ts";
import { upstreamFields } from "./upstream-fields.ts";
import { upstreamSchema, viewUpstream } from "./upstream-view.ts";

/** POST /api/upstreams: creates an upstream. Its secrets are stored encrypted, and never returned. */
export function createUpstream(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/upstreams",
    access: operators("upstreams:write"),
    operationId: "createUpstream",
    summary: "Create an upstream. Its credential or the secrets of its identity are stored encrypted and never shown again.",
    body: { ...declaredUpstreamSchema, properties: upstreamFields, title: "CreateUpstreamRequest" },
    reply: { status: 201, description: "The upstream.", json: upstreamSchema },
    async run({ body, change }) {
      const upstream = toUpstream(withoutNulls(body), refuseField);
      refuseIdentity(upstream);
      const { id } = upstream;
      await platform.catalog.updateUpstream(id, () => {
        if (platform.catalog.upstreams().has(id)) {
          throw new ApiError("already_exists", `The upstream ${id} already exists.`, { param: "id" });
        }
        refuseHeadersOfRoutes(id, platform);
        const what = { before: null, after: describeUpstream(upstream) };
        return { record: upstream, change: change("upstream.create", { kind: "upstream", id }, what) };
      });
      return viewUpstream(upstream, platform);
    },
    showCreated: (id) => viewUpstream(findUpstream(id, platform), platform),
  });
}

/**
 * An upstream of the config file or the environment may be gone, and routes to it remain. Someone who takes its ID for a server of their own must not
 * receive the headers of those routes, which another operator has set.
 */
function refuseHeadersOfRoutes(id: string, { catalog }: Platform): void {
  const model = modelWithHeadersTo(id, catalog.snapshot());
  if (!model) return;
  const message = `The ID ${id} is still named by a route of the model ${model.id} with headers, which were entered for an earlier upstream. Replace that route first.`;
  throw new ApiError("invalid_value", message, { param: "id" });
}
