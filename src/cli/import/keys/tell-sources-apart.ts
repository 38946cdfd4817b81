import type { Key, Model } from "../../../../platform-client/types.ts";
import { findKeys, hasKeys, listAll, listImportedKeys, type FoundKey } from "./gateway-state.ts";
import type { ImportPlan } from "./import-plan.ts";

/** A plan with the account IDs of its source, and what this gateway has of that source. */
export interface SourcePlan {
  readonly plan: ImportPlan;
  /** The ending of its account IDs: empty, or such as `-2`. */
  readonly ending: string;
  /** An ID of the installation, which its keys have here. */
  readonly source: string;
  /** The accounts that have keys of this source, including rotated keys. */
  readonly sourceAccounts: ReadonlySet<string>;
  /** Active keys here that the source does not accept. */
  readonly invalid: readonly InvalidKey[];
}

export interface InvalidKey {
  readonly id: string;
  readonly name: string;
  readonly why: string;
}

const GONE = "keys that are no longer at the source, deleted or regenerated there, were paused here";

/** What shows that keys of this gateway are from the source of a plan. */
interface Evidence {
  /** The account at the source, if it is known. */
  readonly planned: string | undefined;
  readonly account: string;
  /** The source that the key has here. Null for a key of an import that recorded none; undefined for a key that was rotated. */
  readonly source: string | null | undefined;
}

/**
 * Two installations of the same gateway have users of the same IDs, who must not share credit: the accounts of the second one end in `-2`. A source is known by
 * its keys, because its database may be at another address, or in a copy, at the next run.
 */
export async function tellSourcesApart(plan: ImportPlan, accountIds: ReadonlySet<string>): Promise<SourcePlan> {
  const found = await findKeys([...plan.keys, ...plan.rejected].map(({ sha256 }) => sha256));
  const here = await listImportedKeys(plan.from);
  const evidence = evidenceOf(plan, found, here);
  const ending = knownEnding(plan, evidence) ?? (await freeEnding(plan, accountIds, here));
  const own = withEnding(plan, ending);
  const sourceAccounts = new Set(evidence.map(({ account }) => account));
  const source = sourceOf(evidence, here) ?? crypto.randomUUID();
  const known = {
    source,
    accounts: evidence.length === 0 ? sourceAccounts : new Set([...sourceAccounts, ...own.accounts.map(({ id }) => id)]),
  };
  return { plan: own, ending, source, sourceAccounts, invalid: invalidKeys(own, found, here, known) };
}

function withEnding(plan: ImportPlan, ending: string): ImportPlan {
  if (ending === "") return plan;
  const accounts = plan.accounts.map((account) => ({ ...account, id: account.id + ending }));
  const why = `another source has accounts with the same IDs: the IDs of the accounts of this one end in ${ending}`;
  for (const { id } of accounts) plan.report.add(why, `account ${id}`);
  return { ...plan, accounts, keys: plan.keys.map((key) => ({ ...key, account: key.account + ending })) };
}

/**
 * Keys by their hashes; or, if none is here, keys that have been regenerated since, and keys of accounts with IDs that occur once in the
 * world.
 */
function evidenceOf(plan: ImportPlan, found: ReadonlyMap<string, FoundKey>, here: readonly Key[]): readonly Evidence[] {
  const sources = new Map(here.map(({ id, imported }) => [id, imported!.source]));
  const planned = new Map(plan.keys.map(({ sha256, account }) => [sha256, account]));
  const byHash = [...found].map(([sha256, { id, account }]) => ({ planned: planned.get(sha256), account, source: sources.get(id) }));
  if (byHash.length > 0) return byHash;
  const created = new Set(plan.keys.map(({ account, created_at }) => `${account} ${created_at}`));
  return here.flatMap(({ account, created_at, imported }) =>
    plan.accounts
      .filter(({ id }) => endingOf(account, id) !== undefined && (UNIQUE.test(id) || created.has(`${id} ${created_at}`)))
      .map(({ id }) => ({ planned: id, account, source: imported!.source })),
  );
}

/** LiteLLM's IDs of teams and users, unless somebody has chosen them. */
const UNIQUE = /^(team|user)-[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The source of most of the keys. A rotated key has the source of the other keys in the same account. */
function sourceOf(evidence: readonly Evidence[], here: readonly Key[]): string | undefined {
  const accounts = new Set(evidence.map(({ account }) => account));
  const inSameAccounts = here.filter(({ account }) => accounts.has(account));
  return mostNamed(evidence.map(({ source }) => source)) ?? mostNamed(inSameAccounts.map(({ imported }) => imported!.source));
}

function mostNamed(sources: readonly (string | null | undefined)[]): string | undefined {
  return mostFrequent(sources.flatMap((source) => source ?? []));
}

/**
 * The ending that an earlier import chose: the ending of the accounts in which most of its keys are. A single key proves nothing: it may
 * have moved between teams whose IDs differ by such an ending.
 */
function knownEnding({ accounts }: ImportPlan, evidence: readonly Evidence[]): string | undefined {
  const endings = evidence.flatMap(({ planned, account }) => (planned === undefined ? [] : (endingOf(account, planned) ?? [])));
  return (
    mostFrequent(endings) ?? mostFrequent(accounts.flatMap(({ id }) => evidence.flatMap(({ account }) => endingOf(account, id) ?? [])))
  );
}

function mostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0];
}

/** Undefined for an account that is not the planned one with an ending. */
function endingOf(account: string, planned: string): string | undefined {
  const ending = account.startsWith(planned) ? account.slice(planned.length) : undefined;
  return ending !== undefined && /^(-\d+)?$/.test(ending) ? ending : undefined;
}

/** For a source that has nothing here: the first ending with which none of its accounts has keys or models of another import. */
async function freeEnding({ accounts }: ImportPlan, accountIds: ReadonlySet<string>, here: readonly Key[]): Promise<string> {
  const named = here.length === 0 ? new Set<string>() : await accountsOfModels();
  for (let number = 1; ; number++) {
    const ending = number === 1 ? "" : `-${number}`;
    const there = accounts.map(({ id }) => id + ending).filter((id) => accountIds.has(id));
    if (!there.some((id) => named.has(id)) && !(await haveImportedKeys(there))) return ending;
  }
}

/** A team without keys has an account for its models: the keys of another source must not call them. */
async function accountsOfModels(): Promise<ReadonlySet<string>> {
  const models = await listAll<Model>("/api/models");
  return new Set(models.flatMap(({ accounts }) => accounts ?? []));
}

async function haveImportedKeys(accountIds: readonly string[]): Promise<boolean> {
  for (const id of accountIds) if (await hasKeys(id, "&imported=true")) return true;
  return false;
}

/** A blocked key is in the plan, and is paused with it, unless it has moved to another account at the source: then its record stays where it is. */
function invalidKeys(
  plan: ImportPlan,
  found: ReadonlyMap<string, FoundKey>,
  here: readonly Key[],
  known: { readonly source: string; readonly accounts: ReadonlySet<string> },
): readonly InvalidKey[] {
  const valid = new Set(
    plan.keys.flatMap(({ sha256, paused, account }) => {
      const key = found.get(sha256);
      return key && (!paused || key.account === account) ? key.id : [];
    }),
  );
  const reasons = new Map(plan.rejected.flatMap(({ sha256, why }) => (found.has(sha256) ? [[found.get(sha256)!.id, why] as const] : [])));
  const moved = new Set(plan.keys.flatMap(({ sha256 }) => found.get(sha256)?.id ?? []));
  return here
    .filter(({ id, state }) => state === "active" && !valid.has(id))
    .filter(({ imported, account }) => {
      const { source } = imported!;
      return source === known.source || (source === null && known.accounts.has(account));
    })
    .map(({ id, name }) => ({
      id,
      name,
      why: reasons.get(id) ?? (moved.has(id) ? "keys that are blocked at the source were paused here" : GONE),
    }));
}
