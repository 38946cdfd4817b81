import { describe, expect, test } from "bun:test";
import { hasPostgres } from "../../../test/support/postgres/find-postgres.ts";
import { postgresFixture } from "../../../test/support/postgres/postgres-fixture.ts";
import { Secret } from "../../lib/secret/secret.ts";
import type { PostgresDatabase } from "../postgres/postgres-database.ts";
import { Vault } from "../vault.ts";
import type { DeclaredFile } from "./declared-file-store.ts";
import { PostgresDeclaredFileStore } from "./postgres-declared-file-store.ts";

const [OLD, NEW, OTHER] = ["old", "new", "other"].map((name) => new Secret(`${name}-0123456789abcdef-0123456789abcdef`));
const CONTENT = new Secret("a file with a credential-canary");

interface Followed {
  readonly store: PostgresDeclaredFileStore;
  readonly seen: readonly DeclaredFile[];
}

async function followed(database: PostgresDatabase, vault: Vault, instanceId: string): Promise<Followed> {
  const store = new PostgresDeclaredFileStore({ database, vault, instanceId });
  const seen: DeclaredFile[] = [];
  await store.follow(async (file) => void seen.push(file));
  return { store, seen };
}

async function declare(database: PostgresDatabase, store: PostgresDeclaredFileStore, digest: string): Promise<void> {
  await database.change(
    "catalog",
    ["file"],
    () => ({}),
    () => store.prepare(digest, CONTENT),
  );
}

describe.skipIf(!hasPostgres)("the declared config file in PostgreSQL", () => {
  const postgres = postgresFixture();

  test("is read by the other processes with the feed, and by later ones at their start", async () => {
    const one = await postgres.open();
    const other = await postgres.open(one.url);
    const first = await followed(one.database, new Vault(OLD!), "1");
    const second = await followed(other.database, new Vault(OLD!), "2");
    expect([first.seen, second.seen, first.store.current()]).toEqual([[], [], undefined]);
    await declare(one.database, first.store, "digest");
    await other.feed.refresh();
    await other.feed.refresh();
    expect(second.seen.map(({ digest, declaredBy, content }) => [digest, declaredBy, content?.reveal()])).toEqual([
      ["digest", "1", CONTENT.reveal()],
    ]);
    // The store that has declared the file already knows it.
    await one.feed.refresh();
    expect([first.seen, first.store.current()?.digest, second.store.current()?.digest]).toEqual([[], "digest", "digest"]);
    const later = await postgres.open(one.url);
    expect((await followed(later.database, new Vault(OLD!), "3")).seen).toHaveLength(1);
  });

  test("is encrypted, again after a rotation, and unreadable with another secret", async () => {
    const { database, pool, url } = await postgres.open();
    const { store } = await followed(database, new Vault(OLD!), "1");
    await declare(database, store, "digest");
    expect(JSON.stringify(await pool.query("select * from declared_file"))).not.toContain("canary");
    const contentWith = async (...secrets: readonly [Secret, Secret?]): Promise<string | undefined> => {
      const { seen } = await followed((await postgres.open(url)).database, new Vault(...secrets), "2");
      return seen[0]!.content?.reveal();
    };
    expect(await contentWith(OTHER!)).toBeUndefined();
    expect(await contentWith(NEW!, OLD)).toBe(CONTENT.reveal());
    expect(await contentWith(NEW!)).toBe(CONTENT.reveal());
  });
});
