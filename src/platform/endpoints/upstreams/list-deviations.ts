import { operators } from "../../../access/access.ts";
import { DEVIATIONS, type Deviation, type DeviationCount } from "../../../models/deviation.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage, type PageQuery } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { findUpstream } from "./find-upstream.ts";

const deviationSchema: Schema = {
  title: "DeviationCount",
  type: "object",
  required: ["model", "deviation", "handling", "answers"],
  properties: {
    model: { type: "string", description: "By its public name." },
    deviation: { type: "string", enum: Object.keys(DEVIATIONS) },
    handling: { type: "string", enum: ["mended", "counted"], description: "`mended`: callers do not see it." },
    answers: { type: "integer", description: "How many had it, since the start." },
  },
};

interface DeviationQuery extends PageQuery {
  readonly model?: string;
}

/** GET /api/upstreams/:id/deviations: in what an upstream's answers part from their format, by model, a page at a time. */
export function listDeviations(platform: Platform): Operation {
  return operation<undefined, DeviationQuery>({
    method: "GET",
    path: "/api/upstreams/:id/deviations",
    access: operators("upstreams:read"),
    operationId: "listDeviations",
    summary: "Lists in what the answers of an upstream have parted from their format since the start.",
    query: { model: { type: "string", description: "Those of one model, by its public name." }, ...pageQuery },
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
  readonly answers: number;
}

function rowsOf({ model, counts }: DeviationCount): Row[] {
  const kinds = (Object.keys(counts) as Deviation[]).toSorted();
  return kinds.map((deviation) => ({ model, deviation, handling: DEVIATIONS[deviation], answers: counts[deviation]! }));
}
