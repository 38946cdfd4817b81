import type { FoundImportedKeys, Key, KeyPage } from "../../../../platform-client/types.ts";
import { callPlatform } from "../../platform-client.ts";
import type { SourceKind } from "./import-plan.ts";

/** The number of hashes per call. */
const HASHES_AT_ONCE = 1000;
const PAGE = 200;

/** A key of the source that exists on this gateway. */
export interface FoundKey {
  readonly id: string;
  readonly account: string;
}

/** Finds keys by their hashes, including keys that were rotated since their import. */
export async function findKeys(hashes: readonly string[]): Promise<ReadonlyMap<string, FoundKey>> {
  const found = new Map<string, FoundKey>();
  for (let at = 0; at < hashes.length; at += HASHES_AT_ONCE) {
    const sha256 = hashes.slice(at, at + HASHES_AT_ONCE);
    const { body } = await callPlatform({ method: "POST", path: "/api/imports/keys/find", body: { sha256 } });
    const { keys, accounts } = body as FoundImportedKeys;
    sha256.forEach((hash, index) => {
      if (keys[index] !== null) found.set(hash, { id: keys[index]!, account: accounts[index]! });
    });
  }
  return found;
}

/**
 * The imported keys that still have the other gateway's secret, except archived keys. one-api and new-api count as one source, because a
 * one-api database may have been migrated to new-api.
 */
export async function listImportedKeys(from: SourceKind): Promise<readonly Key[]> {
  const keys = await listAll<Key>("/api/keys?imported=true&archived=false");
  return keys.filter(({ imported }) => (imported!.from === "litellm") === (from === "litellm"));
}

/** Whether an account has keys, archived ones included. */
export async function hasKeys(account: string, filter = ""): Promise<boolean> {
  for (const archived of ["false", "true"]) {
    const path = `/api/keys?account=${account}&limit=1&archived=${archived}${filter}`;
    if (((await callPlatform({ method: "GET", path })).body as KeyPage).total > 0) return true;
  }
  return false;
}

export async function listAll<Item>(path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = null; ;) {
    const query: string = `${path.includes("?") ? "&" : "?"}limit=${PAGE}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = (await callPlatform({ method: "GET", path: `${path}${query}` })).body as { data: Item[]; next: string | null };
    items.push(...page.data);
    cursor = page.next;
    if (cursor === null) return items;
  }
}
