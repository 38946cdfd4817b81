import type { AttributionDimension } from "../../../../money/attribution.ts";
import type { PostgresConnection } from "../../../postgres/postgres-pool.ts";
import { isOfNone, type UsageReportQuery } from "../../ledger-record-store.ts";
import type { EncodedCells } from "../../usage/cells.ts";
import type { Granularity } from "../../usage/granularity.ts";
import type { ReportGroups } from "../../usage/report-groups.ts";
import { CellGroups, NAMES_IN_BLOCK } from "./cell-groups.ts";
import type { SlotRange, Target } from "./slot-ranges.ts";
import { readKeyName, type KeyAndModel } from "./key-names.ts";
import { NumberedNames } from "./numbered-names.ts";
import { KEYS, type Owner, type Owners } from "./owners.ts";
import { NAMES_IN_ROW } from "./packed-rows.ts";

/** A row of the rollups, with the groups of its cells. */
export interface CellRow extends EncodedCells {
  readonly targets: readonly Target[];
  readonly granularity: Granularity;
  readonly part: number;
  readonly groups: CellGroups;
}

interface NamedCellsOptions {
  readonly connection: PostgresConnection;
  readonly query: UsageReportQuery;
  readonly dimension: AttributionDimension;
  readonly groups: ReportGroups;
  readonly owners: Owners;
}

/** Slots of an owner to read, and the range of parts to read. */
interface Span extends SlotRange {
  readonly owner: number;
  readonly firstPart: number;
  readonly lastPart: number;
}

interface SelectedOwner {
  readonly id: number;
  readonly groups: CellGroups;
}

const LAST_PART = 2 ** 31 - 1;

/** `offset 0` forces one index search for each span. */
const READ_ROWS = `select span.place::integer as place, found.part, found.cells, found.figures
  from unnest($1::integer[], $2::text[], $3::bigint[], $4::bigint[], $5::integer[], $6::integer[]) with ordinality
    as span(owner, grain, first_slot, end_slot, first_part, last_part, place),
  lateral (select part, cells, figures from attribution_cells as rows where rows.owner = span.owner and rows.grain = span.grain
    and slot >= first_slot and slot < end_slot and part between first_part and last_part offset 0) as found`;

/** Names are numbered without gaps. Returned as JSON: one row for each name takes ten times as long. */
const READ_NAMES = `select wanted.owner, wanted.block, array_to_json(array(select name from attribution_names as names
    where names.owner = wanted.owner and number >= block * ${NAMES_IN_BLOCK} and number < (block + 1) * ${NAMES_IN_BLOCK} order by number))::text as names
  from unnest($1::integer[], $2::integer[]) as wanted(owner, block)`;

/** Reads rows of the rollups by name, and the names of their cells. */
export class NamedCells {
  readonly #options: NamedCellsOptions;
  #selected: Promise<ReadonlyMap<number, SelectedOwner>> | undefined;

  constructor(options: NamedCellsOptions) {
    this.#options = options;
  }

  async read(ranges: readonly SlotRange[]): Promise<CellRow[]> {
    const owners = await (this.#selected ??= this.#select());
    const spans = [...owners.values()].flatMap((owner) => ranges.flatMap((range) => spansOf(range, owner)));
    if (spans.length === 0) return [];
    const found = await this.#options.connection.query<EncodedCells & { place: number; part: number }>(READ_ROWS, [
      spans.map(({ owner }) => owner),
      spans.map(({ granularity }) => granularity),
      spans.map(({ firstSlot }) => firstSlot),
      spans.map(({ endSlot }) => endSlot),
      spans.map(({ firstPart }) => firstPart),
      spans.map(({ lastPart }) => lastPart),
    ]);
    const rows = found.map(({ place, part, cells, figures }) => ({ span: spans[place - 1]!, part, cells, figures }));
    await this.#readNames(rows.map(({ span, part }) => ({ owner: owners.get(span.owner)!, granularity: span.granularity, part })));
    return rows.map(({ span: { targets, granularity, owner }, part, cells, figures }) => ({
      part,
      cells,
      figures,
      targets,
      granularity,
      groups: owners.get(owner)!.groups,
    }));
  }

  /** The owners whose rows a report needs. Without a filter, names are read together with the rows. */
  async #select(): Promise<ReadonlyMap<number, SelectedOwner>> {
    const { connection, query, dimension, groups, owners } = this.#options;
    const all = owners.all(dimension);
    const keys = await this.#readKeys(all);
    const { attributed } = query;
    const wanted = attributed?.names && !isOfNone(attributed) ? new Set(attributed.names) : undefined;
    const numbered = wanted && (await NumberedNames.read(connection, new Map(all.map((owner) => [owner, wanted]))));
    return new Map(
      all.map((owner) => {
        const found = numbered && new Map(numbered.all(owner).filter(([, name]) => wanted.has(name)));
        return [owner.id, { id: owner.id, groups: new CellGroups(groups, owner, keys?.get(owner.accountId), found) }];
      }),
    );
  }

  /** The keys and models of accounts, by number, if the report needs them. */
  async #readKeys(all: readonly Owner[]): Promise<ReadonlyMap<string, ReadonlyMap<number, KeyAndModel>> | undefined> {
    const { connection, query, owners } = this.#options;
    const { by, keyId, model } = query;
    if (keyId === undefined && model === undefined && !by.includes("key") && !by.includes("model")) return undefined;
    // An account whose entries are not in the rollups yet has no keys there.
    const accountOf = new Map(
      all.flatMap(({ accountId }) => owners.find(accountId, KEYS) ?? []).map(({ id, accountId }) => [id, accountId]),
    );
    const sql = "select owner, number, name from attribution_names where owner = any($1::integer[])";
    const keys = new Map(all.map(({ accountId }) => [accountId, new Map<number, KeyAndModel>()]));
    for (const { owner, number, name } of await connection.query<{ owner: number; number: number; name: string }>(sql, [
      [...accountOf.keys()],
    ])) {
      keys.get(accountOf.get(owner)!)!.set(number, readKeyName(name));
    }
    return keys;
  }

  async #readNames(rows: readonly { owner: SelectedOwner; granularity: Granularity; part: number }[]): Promise<void> {
    const unknown = new Map<string, { owner: SelectedOwner; block: number }>();
    for (const { owner, granularity, part } of rows) {
      const block = Math.floor((part * NAMES_IN_ROW[granularity]) / NAMES_IN_BLOCK);
      if (!owner.groups.wanted && !owner.groups.names.has(block)) unknown.set(`${owner.id}/${block}`, { owner, block });
    }
    if (unknown.size === 0) return;
    const wanted = [...unknown.values()];
    const parameters = [wanted.map(({ owner }) => owner.id), wanted.map(({ block }) => block)];
    const found = await this.#options.connection.query<{ owner: number; block: number; names: string }>(READ_NAMES, parameters);
    for (const { owner, block, names } of found) {
      unknown.get(`${owner}/${block}`)!.owner.groups.names.set(block, JSON.parse(names) as string[]);
    }
  }
}

function spansOf(range: SlotRange, { id, groups: { wanted } }: SelectedOwner): Span[] {
  if (!wanted) return [{ ...range, owner: id, firstPart: 0, lastPart: LAST_PART }];
  const parts = new Set(wanted.keys().map((number) => Math.floor(number / NAMES_IN_ROW[range.granularity])));
  return [...parts].map((part) => ({ ...range, owner: id, firstPart: part, lastPart: part }));
}
