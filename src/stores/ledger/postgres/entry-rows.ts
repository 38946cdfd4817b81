import { writeAttribution } from "../../../money/attribution.ts";
import type { Entry } from "../../../money/ledger-entry.ts";
import { BEFORE_FIRST_ID } from "./working-set.ts";

/** A new entry as a row. Its id is relative to the head of the ledger. The id of its hold is relative too, if the hold is also new. */
interface NewEntryRow {
  readonly n: number;
  readonly account_id: string;
  readonly kind: Entry["kind"];
  readonly amount_nanos: string;
  readonly at_ms: number;
  readonly actor: string;
  readonly reason: string;
  readonly reference?: string;
  readonly request_id?: string;
  /** The relative id of a hold that is also new. */
  readonly hold_n?: number | undefined;
  readonly hold_id?: number | undefined;
  readonly key_id?: string;
  readonly model?: string;
  readonly price_version?: string;
  readonly uncharged_nanos?: string;
  readonly prompt_tokens?: number;
  readonly cached_tokens?: number;
  readonly cache_write_tokens?: number;
  readonly completion_tokens?: number;
  readonly reasoning_tokens?: number;
  readonly provenance?: string;
  readonly upstream?: string;
  readonly upstream_model?: string | undefined;
  readonly cost_version?: string | undefined;
  readonly attempts?: number;
  readonly failed_attempts?: string | undefined;
  readonly attribution?: string | null;
  readonly upstream_cost_nanos?: string | undefined;
  /** The number in the sequence of its process; undefined for entries that end a process. */
  readonly seq?: number | undefined;
  /** Whether the entry is a hold that stays open. */
  readonly is_open?: boolean;
}

/** The columns of `NewEntryRow` that the table has too, with their types. */
const COLUMNS = `account_id text, kind text, amount_nanos bigint, at_ms bigint, actor text, reason text, reference text, request_id text,
  key_id text, model text, price_version text, uncharged_nanos bigint, prompt_tokens bigint, cached_tokens bigint, cache_write_tokens bigint,
  completion_tokens bigint, reasoning_tokens bigint, provenance text, upstream text, upstream_model text, cost_version text, attempts integer,
  failed_attempts text, attribution text, upstream_cost_nanos bigint, seq bigint`;
const NAMES = COLUMNS.replaceAll(/ (?:text|bigint|integer)/g, "");

/**
 * Adds entries with the next ids, opens their holds and ends others. The head is locked last, until the commit: ids have no gaps, and are
 * in the order of the commits. Parameters: the number of rows, the rows, the instance, the requests whose holds have ended, and the version
 * of the counted breakdowns: if the ledger has another version, the transaction fails.
 */
export const ADD_ENTRIES = `with head as (update ledger_head set last_id = last_id + $1::bigint where single = 1
    returning last_id - $1::bigint as last_id, require_breakdowns($5::bigint, breakdowns_version)),
  rows as materialized (select * from json_to_recordset($2::text::json) as r(n bigint, hold_n bigint, hold_id bigint, is_open boolean, ${COLUMNS})),
  ended as (delete from open_holds where request_id = any($4::text[])),
  opened as (insert into open_holds (request_id, instance_id, hold_id, account_id, key_id, amount_nanos)
    select request_id, $3, last_id + n, account_id, key_id, amount_nanos from head, rows where is_open)
  insert into entries (id, hold_id, instance_id, ${NAMES})
    select last_id + n, coalesce(hold_id, last_id + hold_n), $3, ${NAMES} from head, rows order by n`;

/** `seq`: the number of the change in the sequence of its process. */
export function toNewRow(entry: Entry, seq: number | undefined, isOpen: boolean): NewEntryRow {
  const { accountId, kind, atMs, actor, reason } = entry;
  const head = { n: entry.id - BEFORE_FIRST_ID, account_id: accountId, kind, at_ms: atMs, actor, reason, seq };
  if ("reference" in entry) {
    return { ...head, amount_nanos: String(entry.amountNanos), reference: entry.reference };
  }
  const { requestId, keyId, model, priceVersion } = entry;
  const attribution = writeAttribution(entry.attribution);
  const request = { ...head, request_id: requestId, key_id: keyId, model, price_version: priceVersion, attribution };
  if (entry.kind === "hold") return { ...request, amount_nanos: String(entry.amountNanos), is_open: isOpen };
  const isNewHold = entry.holdId < 0;
  const closing = {
    ...request,
    hold_n: isNewHold ? entry.holdId - BEFORE_FIRST_ID : undefined,
    hold_id: isNewHold ? undefined : entry.holdId,
    failed_attempts: entry.failedAttempts && JSON.stringify(entry.failedAttempts),
  };
  if (entry.kind === "release") return { ...closing, amount_nanos: "0" };
  const { usage } = entry;
  return {
    ...closing,
    amount_nanos: String(entry.amountNanos),
    uncharged_nanos: String(entry.unchargedNanos),
    prompt_tokens: usage.promptTokens,
    cached_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    completion_tokens: usage.completionTokens,
    reasoning_tokens: usage.reasoningTokens,
    provenance: entry.provenance,
    upstream: entry.upstream,
    upstream_model: entry.upstreamModel,
    cost_version: entry.costVersion,
    upstream_cost_nanos: entry.upstreamCostNanos?.toString(),
    attempts: entry.attempts,
  };
}
