import { operators } from "../../../vocabulary/access.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage, type PageQuery } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { upstreamSchema, viewUpstream } from "./upstream-view.ts";

/** GET /api/upstreams: upstreams, by id, a page at a time. */
export function listUpstreams(platform: Platform): Operation {
  return operation<undefined, PageQuery>({
    method: "GET",
    path: "/api/upstreams",
    access: operators("upstreams:read"),
    operationId: "listUpstreams",
    summary: "Lists upstreams by id.",
    query: pageQuery,
    reply: { status: 200, description: "A page of upstreams.", json: pageSchema("UpstreamPage", upstreamSchema) },
    run({ query }) {
      const { limit, after } = readPage(query, ["string"]);
      const upstreams = [...platform.catalog.upstreams().values()]
        .filter(({ id }) => after === undefined || id > after[0])
        .toSorted((a, b) => (a.id < b.id ? -1 : 1));
      return toPage(
        upstreams,
        limit,
        (upstream) => viewUpstream(upstream, platform),
        ({ id }) => [id],
      );
    },
  });
}
