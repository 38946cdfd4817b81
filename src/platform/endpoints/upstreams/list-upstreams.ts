import { operators } from "../../../access/access.ts";
import type { UpstreamSettings } from "../../../models/upstream-settings.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { upstreamSchema, viewUpstream } from "./upstream-view.ts";

/** GET /api/upstreams: a page of upstreams by id. */
export function listUpstreams(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/upstreams",
    access: operators("upstreams:read"),
    operationId: "listUpstreams",
    summary: "List upstreams by id",
    query: {
      search: { type: "string", minLength: 1, maxLength: 100, description: "Upstreams whose id or base URL contains this text." },
      ...pageQuery,
    },
    reply: { status: 200, description: "A page of upstreams.", json: pageSchema("UpstreamPage", upstreamSchema) },
    run({ query, cursors }) {
      const { limit, after } = readPage(query, cursors, ["string"]);
      const upstreams = [...platform.catalog.upstreams().values()]
        .filter((upstream) => (after === undefined || upstream.id > after[0]) && isFound(upstream, query.search))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1));
      return toPage(
        cursors,
        upstreams,
        limit,
        (upstream) => viewUpstream(upstream, platform),
        ({ id }) => [id],
      );
    },
  });
}

function isFound(upstream: UpstreamSettings, search: string | undefined): boolean {
  const text = `${upstream.id} ${upstream.dialect === "echo" ? "" : upstream.baseUrl}`;
  return search === undefined || text.toLowerCase().includes(search.toLowerCase());
}
