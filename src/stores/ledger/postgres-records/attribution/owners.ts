import type { AttributionDimension } from "../../../../money/attribution.ts";
import type { PostgresConnection } from "../../../postgres/postgres-pool.ts";

/** Used instead of a dimension, for the keys of an account, each with a model. */
export const KEYS = "key";

/** An owner of names: a dimension of an account. */
export interface Owner {
  readonly id: number;
  readonly accountId: string;
  readonly dimension: AttributionDimension | typeof KEYS;
}

/** The owners of some accounts. Each tag that an account has used is an owner. */
export class Owners {
  readonly #byAccount = new Map<string, Map<string, Owner>>();
  readonly #added: Owner[] = [];
  #lastId: number;

  private constructor(owners: readonly Owner[], lastId: number) {
    for (const owner of owners) this.#ofAccount(owner.accountId).set(owner.dimension, owner);
    this.#lastId = lastId;
  }

  static async read(connection: PostgresConnection, accountIds: readonly string[] | undefined): Promise<Owners> {
    const [owners, [last]] = await Promise.all([
      connection.query<Owner>(
        `select id, account_id as "accountId", dimension from attribution_owners ${accountIds ? "where account_id = any($1::text[])" : ""}`,
        accountIds ? [accountIds] : [],
      ),
      connection.query<{ id: number | null }>("select max(id) as id from attribution_owners"),
    ]);
    return new Owners(owners, last!.id ?? 0);
  }

  find(accountId: string, dimension: Owner["dimension"]): Owner | undefined {
    return this.#byAccount.get(accountId)?.get(dimension);
  }

  all(dimension: Owner["dimension"]): Owner[] {
    return [...this.#byAccount.values()].flatMap((owners) => owners.get(dimension) ?? []);
  }

  /** The owner of a dimension. A new dimension gets a new owner. */
  assign(accountId: string, dimension: Owner["dimension"]): Owner {
    const owners = this.#ofAccount(accountId);
    const known = owners.get(dimension);
    if (known) return known;
    const owner = { id: ++this.#lastId, accountId, dimension };
    owners.set(dimension, owner);
    this.#added.push(owner);
    return owner;
  }

  /** Writes the new owners. */
  async save(connection: PostgresConnection): Promise<void> {
    if (this.#added.length === 0) return;
    await connection.query(
      "insert into attribution_owners (id, account_id, dimension) select * from unnest($1::integer[], $2::text[], $3::text[])",
      [this.#added.map(({ id }) => id), this.#added.map(({ accountId }) => accountId), this.#added.map(({ dimension }) => dimension)],
    );
  }

  #ofAccount(accountId: string): Map<string, Owner> {
    let owners = this.#byAccount.get(accountId);
    if (!owners) this.#byAccount.set(accountId, (owners = new Map()));
    return owners;
  }
}
