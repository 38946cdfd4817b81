import { operators } from "../../../access/access.ts";
import { DEVIATIONS, type Deviation, type DeviationCount } from "../../../models/deviation.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { findUpstream } from "./find-upstream.ts";

const deviationSchema = {
  title: "DeviationCount",
  type: "object",
  required: ["model", "deviation", "handling", "responses"],
  properties: {
    model: { type: "string", description: "The public name of the model." },
    deviation: { type: "string", enum: Object.keys(DEVIATIONS) },
    handling: {
      type: "string",
      enum: ["mended", "counted"],
      description: "`mended`: clients receive the repaired format. `counted`: it is passed through.",
    },
    responses: { type: "integer", description: "The number of responses with this deviation since startup." },
  },
} as const satisfies Schema;

/** GET /api/upstreams/:id/deviations: a page of an upstream's format deviations, by model. */
export function listDeviations(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/upstreams/:id/deviations",
    access: operators("upstreams:read"),
    operationId: "listDeviations",
    summary: "List the format deviations of an upstream's responses since startup",
    query: { model: { type: "string", description: "Deviations of one model, by its public name." }, ...pageQuery },
    reply: { status: 200, description: "A page of deviations.", json: pageSchema("DeviationPage", deviationSchema) },
    run({ param, query, cursors }) {
      const { id } = findUpstream(param("id"), platform);
      const { limit, after } = readPage(query, cursors, ["string", "string"]);
      const rows = platform
        .deviations()
        .filter(({ upstream, model }) => upstream === id && (query.model ?? model) === model)
        .flatMap(rowsOf);
      const isLeft = ({ model, deviation }: Row): boolean => !after || model > after[0] || (model === after[0] && deviation > after[1]);
      return toPage(
        cursors,
        rows.filter(isLeft),
        limit,
        (row) => row,
        ({ model, deviation }) => [model, deviation],
      );
    },
  });
}

interface Row {
  readonly model: string;
  readonly deviation: Deviation;
  readonly handling: "mended" | "counted";
  readonly responses: number;
}

function rowsOf({ model, counts }: DeviationCount): Row[] {
  const kinds = (Object.keys(counts) as Deviation[]).toSorted();
  return kinds.map((deviation) => ({ model, deviation, handling: DEVIATIONS[deviation], responses: counts[deviation]! }));
}
