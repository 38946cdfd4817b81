import { ERASED, OTHER_NAMES } from "../../../../money/attribution.ts";
import type { PostgresConnection } from "../../../postgres/postgres-pool.ts";
import type { Owner } from "./owners.ts";

/** The names of an owner, numbered from 0 without gaps. The name of erased end users has several numbers. */
interface NamesOfOwner {
  readonly byName: Map<string, number>;
  readonly byNumber: Map<number, string>;
  /** The number for the next new name. */
  next: number;
}

/** `offset 0` forces one index search for each name, even if the planner has outdated statistics about a table that has just grown. */
const FIND = `select wanted.owner, found.number, wanted.name from unnest($1::integer[], $2::text[]) as wanted(owner, name),
  lateral (select number from attribution_names as names where names.owner = wanted.owner and names.name = wanted.name offset 0) as found`;

const FIND_LAST = `select wanted.owner, (select max(number) from attribution_names as names where names.owner = wanted.owner) as last
  from unnest($1::integer[]) as wanted(owner)`;

/** The numbers of some names of some owners, and of `other` and `erased`. */
export class NumberedNames {
  readonly #byOwner = new Map<number, NamesOfOwner>();
  readonly #added: { owner: number; number: number; name: string }[] = [];

  /** Reads the numbers of these names. A new name has no number yet. */
  static async read(connection: PostgresConnection, wanted: ReadonlyMap<Owner, ReadonlySet<string>>): Promise<NumberedNames> {
    const names = new NumberedNames();
    const pairs = [...wanted].flatMap(([{ id }, some]) => [...new Set([...some, OTHER_NAMES, ERASED])].map((name) => ({ id, name })));
    const owners = [...wanted.keys()].map(({ id }) => id);
    const [found, lasts] = await Promise.all([
      connection.query<{ owner: number; number: number; name: string }>(FIND, [pairs.map(({ id }) => id), pairs.map(({ name }) => name)]),
      connection.query<{ owner: number; last: number | null }>(FIND_LAST, [owners]),
    ]);
    for (const { owner, last } of lasts) names.#byOwner.set(owner, { byName: new Map(), byNumber: new Map(), next: (last ?? -1) + 1 });
    for (const { owner, number, name } of found) names.#remember(owner, number, name);
    return names;
  }

  /** The name with a number, if it was read. */
  nameOf({ id }: Owner, number: number): string | undefined {
    return this.#byOwner.get(id)!.byNumber.get(number);
  }

  numberOf({ id }: Owner, name: string): number | undefined {
    return this.#byOwner.get(id)!.byName.get(name);
  }

  /** The numbers and names of an owner. A name may have several numbers. */
  all({ id }: Owner): [number: number, name: string][] {
    return [...this.#byOwner.get(id)!.byNumber];
  }

  /** The number of a name. A new name gets a new number. */
  assign(owner: Owner, name: string): number {
    const known = this.numberOf(owner, name);
    if (known !== undefined) return known;
    const number = this.#byOwner.get(owner.id)!.next++;
    this.#remember(owner.id, number, name);
    this.#added.push({ owner: owner.id, number, name });
    return number;
  }

  /** Writes the new names. */
  async save(connection: PostgresConnection): Promise<void> {
    if (this.#added.length === 0) return;
    await connection.query(
      "insert into attribution_names (owner, number, name) select * from unnest($1::integer[], $2::integer[], $3::text[])",
      [this.#added.map(({ owner }) => owner), this.#added.map(({ number }) => number), this.#added.map(({ name }) => name)],
    );
  }

  #remember(owner: number, number: number, name: string): void {
    const { byName, byNumber } = this.#byOwner.get(owner)!;
    byName.set(name, number);
    byNumber.set(number, name);
  }
}
