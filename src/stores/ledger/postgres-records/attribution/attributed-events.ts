import { readAttribution } from "../../../../money/attribution.ts";
import type { PostgresConnection } from "../../../postgres/postgres-pool.ts";
import { noFigures, type Figures } from "../../usage/figures.ts";
import type { UsageEvent } from "../../usage/usage-event.ts";

interface EventRow {
  readonly id: bigint;
  readonly at_ms: bigint;
  readonly account_id: string;
  readonly key_id: string;
  readonly model: string;
  readonly upstream: string;
  readonly attribution: string | null;
  readonly figures: readonly number[];
}

/** The figures, in their order. Amounts are split into dollars and nanos. */
const COLUMNS = `entries.id, at_ms, account_id, key_id, model, coalesce(upstream, '') as upstream, attribution,
  array[(kind = 'settle')::integer, (kind = 'release')::integer, coalesce(prompt_tokens, 0), coalesce(cached_tokens, 0),
    coalesce(cache_write_tokens, 0), coalesce(completion_tokens, 0), coalesce(reasoning_tokens, 0), amount_nanos / 1000000000,
    amount_nanos % 1000000000, coalesce(uncharged_nanos, 0) / 1000000000, coalesce(uncharged_nanos, 0) % 1000000000,
    (upstream_cost_nanos is not null)::integer, coalesce(upstream_cost_nanos, 0) / 1000000000, coalesce(upstream_cost_nanos, 0) % 1000000000,
    case when upstream_cost_nanos is null then 0 else amount_nanos / 1000000000 end,
    case when upstream_cost_nanos is null then 0 else amount_nanos % 1000000000 end]::float8[] as figures`;

/** The usage in entries with an attribution, in the order of the entries. `from` and `where` are SQL. */
export async function readAttributedEvents(
  connection: PostgresConnection,
  from: string,
  where: readonly string[],
  parameters: readonly unknown[],
): Promise<UsageEvent[]> {
  const conditions = ["kind in ('settle', 'release')", "attribution is not null", ...where];
  const sql = `select ${COLUMNS} from ${from} where ${conditions.join(" and ")}`;
  const events = (await connection.query<EventRow>(sql, parameters)).map(toEvent);
  // Not sorted by the statement: with `order by`, the planner may read all entries in their order.
  return events.toSorted((one, other) => one.id - other.id);
}

function toEvent({ id, at_ms: atMs, account_id: accountId, key_id: keyId, model, upstream, attribution, figures }: EventRow): UsageEvent {
  return {
    id: Number(id),
    atMs: Number(atMs),
    accountId,
    keyId,
    model,
    upstream,
    attribution: readAttribution(attribution),
    figures: toFigures(figures),
  };
}

/** Faster than `new Float64Array(list)`, which iterates. */
function toFigures(list: readonly number[]): Figures {
  const figures = noFigures();
  for (let at = 0; at < list.length; at++) figures[at] = list[at]!;
  return figures;
}
