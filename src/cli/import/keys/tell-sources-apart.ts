import type { FoundImportedKeys, KeyPage } from "../../../../platform-client/types.ts";
import { callPlatform } from "../../platform-client.ts";
import type { ImportPlan } from "./import-plan.ts";

/** Hashes of one call. */
const HASHES_AT_ONCE = 1000;

/** A plan with the account IDs of its source, and the accounts that have keys of this source, also such that were rotated since. */
export interface SourcePlan {
  readonly plan: ImportPlan;
  readonly sourceAccounts: ReadonlySet<string>;
}

/**
 * Two installations of the same gateway have users of the same IDs, who must not share credit: the accounts of the second one end in `-2`. A source is known by
 * its keys, because its database may be at another address, or in a copy, at the next run.
 */
export async function tellSourcesApart(plan: ImportPlan, accountIds: ReadonlySet<string>): Promise<SourcePlan> {
  const found = await accountsOf(plan);
  const sourceAccounts = new Set(found.filter((account) => account !== null));
  const ending = knownEnding(plan, found) ?? (await freeEnding(plan, accountIds));
  if (ending === "") return { plan, sourceAccounts };
  const accounts = plan.accounts.map((account) => ({ ...account, id: account.id + ending }));
  const why = `another source has accounts with the same IDs: the IDs of the accounts of this one end in ${ending}`;
  for (const { id } of accounts) plan.report.add(why, `account ${id}`);
  return { plan: { ...plan, accounts, keys: plan.keys.map((key) => ({ ...key, account: key.account + ending })) }, sourceAccounts };
}

/** The account in which each key is; null for one that is not here. */
async function accountsOf({ keys }: ImportPlan): Promise<(string | null)[]> {
  const found: (string | null)[] = [];
  for (let at = 0; at < keys.length; at += HASHES_AT_ONCE) {
    const body = { sha256: keys.slice(at, at + HASHES_AT_ONCE).map(({ sha256 }) => sha256) };
    const { accounts } = (await callPlatform({ method: "POST", path: "/api/imports/keys/find", body })).body as FoundImportedKeys;
    found.push(...accounts);
  }
  return found;
}

/**
 * The ending that an earlier import chose: that of the accounts in which most of its keys are. A single key proves nothing: it may have moved between teams
 * whose IDs differ by such an ending.
 */
function knownEnding({ keys }: ImportPlan, found: readonly (string | null)[]): string | undefined {
  const counts = new Map<string, number>();
  for (const [index, { account }] of keys.entries()) {
    const ending = endingOf(found[index]!, account);
    if (ending !== undefined) counts.set(ending, (counts.get(ending) ?? 0) + 1);
  }
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0];
}

/** Undefined for a key that is not here, or that was imported into quite another account. */
function endingOf(found: string | null, planned: string): string | undefined {
  const ending = found?.startsWith(planned) ? found.slice(planned.length) : undefined;
  return ending !== undefined && /^(-\d+)?$/.test(ending) ? ending : undefined;
}

/** For a source of which nothing is here: the first ending by which none of its accounts has keys of another import. */
async function freeEnding({ accounts }: ImportPlan, accountIds: ReadonlySet<string>): Promise<string> {
  for (let number = 1; ; number++) {
    const ending = number === 1 ? "" : `-${number}`;
    const there = accounts.map(({ id }) => id + ending).filter((id) => accountIds.has(id));
    if (!(await haveImportedKeys(there))) return ending;
  }
}

async function haveImportedKeys(accountIds: readonly string[]): Promise<boolean> {
  for (const id of accountIds) if (await hasKeys(id, "&imported=true")) return true;
  return false;
}

/** Whether an account has keys, archived ones included. */
export async function hasKeys(account: string, filter = ""): Promise<boolean> {
  for (const archived of ["false", "true"]) {
    const path = `/api/keys?account=${account}&limit=1&archived=${archived}${filter}`;
    if (((await callPlatform({ method: "GET", path })).body as KeyPage).total > 0) return true;
  }
  return false;
}
