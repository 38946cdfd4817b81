import type { Schema } from "../../lib/schema/schema.ts";
import { operators } from "../../access/access.ts";
import { idOfImported, importKey, type KeyRecord } from "../../access/api-key.ts";
import { operation, type Operation, type Call } from "../operation.ts";
import type { Platform } from "../platform.ts";
import type { Infer } from "../../lib/schema/infer.ts";
import { findGuessable } from "../../access/guessable-keys.ts";
import { nameSchema } from "../../lib/schema/name-schema.ts";
import { modelsSchema } from "../../models/models-schema.ts";
import {
  carriedSpendSchema,
  readCarried,
  capsSchema,
  limitsSchema,
  readCaps,
  readLimits,
  withCarried,
} from "../../money/declared-limits.ts";
import { requireAccount, existingAccount } from "./find-resource.ts";
import { refuseWithoutAttribution, readTime, refuseManagedElsewhere } from "./fields.ts";
import { describeKey } from "./key-view.ts";
import { type Account, describeAccount } from "../../access/account.ts";
import type { CarriedByPeriod } from "../../money/limits.ts";

const sha256Schema = {
  type: "string",
  pattern: "^[0-9a-f]{64}$",
  patternInWords: "the SHA-256 of the plaintext key: 64 hexadecimal digits in lower case",
  description: "The SHA-256 of the plaintext key. It is stored as a keyed hash.",
} as const satisfies Schema;

const MAX_FOUND_KEYS = 1000;

/**
 * POST /api/imports/keys/find: finds the records that were imported for keys of another gateway. An import finds its own keys and accounts
 * with it, whatever their IDs are. It is a POST because the list of hashes is long. For operators only, because it shows whether a key
 * exists.
 */
export function findImportedKeys(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/imports/keys/find",
    access: operators("keys:read"),
    operationId: "findImportedKeys",
    summary: "Find imported keys and their accounts by the hashes of the keys. It changes nothing.",
    body: {
      title: "FindImportedKeysRequest",
      type: "object",
      additionalProperties: false,
      required: ["sha256"],
      properties: { sha256: { type: "array", minItems: 1, maxItems: MAX_FOUND_KEYS, items: sha256Schema } },
    },
    maxBodyBytes: 128 * 1024,
    reply: {
      status: 200,
      description: "The key and the account of each hash, in the order of the request.",
      json: {
        title: "FoundImportedKeys",
        type: "object",
        required: ["keys", "accounts"],
        properties: {
          keys: {
            type: "array",
            items: { type: "string", nullable: true, description: "The id of the key here; null for none." },
          },
          accounts: {
            type: "array",
            items: {
              type: "string",
              nullable: true,
              description: "The id of the account, even of a key that was rotated here since; null for none.",
            },
          },
        },
      },
    },
    async run({ body }) {
      const { keys, hashSecret } = platform;
      const found = body.sha256.map((sha256) => keys.find(idOfImported(sha256, hashSecret)));
      return { keys: found.map((key) => key?.id ?? null), accounts: found.map((key) => key?.accountId ?? null) };
    },
  });
}

const MAX_KEYS = 200;

/** Large enough for long lists of models in each key. */
const MAX_BYTES = 4 * 1024 * 1024;

const SOURCES = ["litellm", "one-api", "new-api"] as const;

const OUTCOMES = ["created", "updated", "unchanged", "kept", "conflict", "guessable"] as const;

type Outcome = (typeof OUTCOMES)[number];

const importedKeySchema = {
  title: "ImportedKey",
  type: "object",
  additionalProperties: false,
  required: ["sha256", "name", "account", "models"],
  properties: {
    sha256: sha256Schema,
    name: nameSchema,
    account: { type: "string", description: "The id of the account that pays." },
    models: modelsSchema,
    limits: limitsSchema,
    caps: capsSchema,
    carried_spend: carriedSpendSchema,
    created_at: { type: "string", description: "When the other gateway created it. Default: now." },
    expires_at: { type: "string", nullable: true, description: "The expiry time, which may have passed; null for no expiry." },
    paused: { type: "boolean", description: "Whether it is blocked at the other gateway." },
  },
} as const satisfies Schema;

const importKeysRequest = {
  title: "ImportKeysRequest",
  type: "object",
  additionalProperties: false,
  required: ["from", "keys"],
  properties: {
    from: { type: "string", enum: SOURCES, description: "The other gateway." },
    source: {
      type: "string",
      pattern: "^[a-z0-9-]{1,64}$",
      patternInWords: "an ID of 1 to 64 lowercase letters, digits and hyphens",
      description: "An ID of the installation of that gateway. A later import finds the keys that are no longer there by it.",
    },
    keys: { type: "array", minItems: 1, maxItems: MAX_KEYS, items: importedKeySchema },
  },
} as const satisfies Schema;

type ImportCall = Call<Infer<typeof importKeysRequest>>;

/**
 * POST /api/imports/keys: imports keys of another gateway, so that callers can continue to use them. For operators only: a member who could
 * add the hash of a self-made key would have a key that is in no list of issued keys.
 */
export function importKeys(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/imports/keys",
    access: operators("keys:write"),
    operationId: "importKeys",
    summary: "Import keys of another gateway by their hashes. Keys that were imported before get the settings of this call.",
    body: importKeysRequest,
    maxBodyBytes: MAX_BYTES,
    reply: {
      status: 200,
      description: "The result for each key, in the order of the request.",
      json: {
        title: "ImportedKeys",
        type: "object",
        required: ["keys"],
        properties: { keys: { type: "array", items: outcomeSchema } },
      },
    },
    async run(call) {
      const records = call.body.keys.map((key, at) => toRecord(key, at, call, platform));
      const outcomes: { readonly id: string; readonly outcome: Outcome }[] = [];
      const guessable = findGuessable(call.body.keys.map(({ sha256 }) => sha256));
      for (const [at, record] of records.entries()) {
        const isGuessable = guessable.has(call.body.keys[at]!.sha256);
        outcomes.push({
          id: record.id,
          outcome: isGuessable ? await refuseGuessable(record, call, platform) : await putKey(record, call, platform),
        });
      }
      return { keys: outcomes };
    },
  });
}

const outcomeSchema = {
  title: "ImportedKeyOutcome",
  type: "object",
  required: ["id", "outcome"],
  properties: {
    id: { type: "string", description: "The public id that it has here." },
    outcome: {
      type: "string",
      enum: OUTCOMES,
      description:
        "`kept`: it was revoked, archived or rotated here since, or is paused here and not at the other gateway, and stays so. `conflict`: it is a key of another account. `guessable`: it is a common value such as `sk-1234`, which anybody would try, and was not imported, or is paused if it was before.",
    },
  },
} as const satisfies Schema;

/** Checks every key before the first key is stored. */
function toRecord(key: Infer<typeof importedKeySchema>, at: number, { actor, body }: ImportCall, platform: Platform): KeyRecord {
  const nowMs = platform.nowMs();
  const account = requireAccount(key.account, actor, platform);
  const wanted = {
    name: key.name,
    accountId: account.id,
    models: key.models,
    limits: readLimits(key.limits),
    caps: withCarried(
      readCaps(key.caps),
      readCarried(key.carried_spend, (text) => readTime(text, `keys[${at}].carried_spend`)),
    ),
    createdAtMs: key.created_at === undefined ? nowMs : readTime(key.created_at, `keys[${at}].created_at`),
    expiresAtMs: key.expires_at == null ? null : readTime(key.expires_at, `keys[${at}].expires_at`),
    pausedAtMs: key.paused ? nowMs : null,
  };
  refuseWithoutAttribution(wanted, account.attribution);
  return importKey(wanted, key.sha256, { from: body.from, source: body.source ?? null, atMs: nowMs }, platform.hashSecret);
}

/** If an earlier import created the key here, it is paused. */
async function refuseGuessable(record: KeyRecord, call: ImportCall, platform: Platform): Promise<Outcome> {
  if (platform.keys.find(record.id)) await putKey({ ...record, pausedAtMs: platform.nowMs() }, call, platform);
  return "guessable";
}

async function putKey(wanted: KeyRecord, { change }: ImportCall, { keys }: Platform): Promise<Outcome> {
  const { id, accountId } = wanted;
  const target = { kind: "key", id } as const;
  if (!keys.find(id)) {
    await keys.add(wanted, change("key.import", target, { before: null, after: describeKey(wanted), accountId }));
    return "created";
  }
  let outcome: Outcome = "unchanged";
  await keys.update(id, (current) => {
    outcome = outcomeFor(current!, wanted);
    if (outcome !== "updated") return undefined;
    const record = updated(current!, wanted);
    return { record, change: change("key.import", target, { before: describeKey(current!), after: describeKey(record), accountId }) };
  });
  return outcome;
}

function outcomeFor(current: KeyRecord, wanted: KeyRecord): Outcome {
  if (current.accountId !== wanted.accountId) return "conflict";
  if (current.revokedAtMs !== null || current.archivedAtMs !== null || current.imported === null) return "kept";
  // An operator may have paused the key here, perhaps because it leaked: it must not be active after the next import.
  if (current.pausedAtMs !== null && wanted.pausedAtMs === null) return "kept";
  return Bun.deepEquals(describeKey(current), describeKey(updated(current, wanted))) ? "unchanged" : "updated";
}

/** A pause keeps its time, and the import does not end it. */
function updated(current: KeyRecord, { name, models, limits, caps, expiresAtMs, pausedAtMs, imported }: KeyRecord): KeyRecord {
  return {
    ...current,
    imported: { ...current.imported!, source: imported!.source ?? current.imported!.source },
    name,
    models,
    limits,
    caps,
    expiresAtMs,
    pausedAtMs: current.pausedAtMs ?? pausedAtMs,
  };
}

const MAX_ACCOUNTS = 200;

const spendSchema = {
  title: "ImportedSpend",
  type: "object",
  additionalProperties: false,
  required: ["id", "carried_spend"],
  properties: {
    id: { type: "string", pattern: "^[a-z0-9._-]{1,100}$", patternInWords: "the id of an account", description: "The id of the account." },
    carried_spend: carriedSpendSchema,
  },
} as const satisfies Schema;

const importSpendRequest = {
  title: "ImportSpendRequest",
  type: "object",
  additionalProperties: false,
  required: ["accounts"],
  properties: { accounts: { type: "array", minItems: 1, maxItems: MAX_ACCOUNTS, items: spendSchema } },
} as const satisfies Schema;

type ImportSpendRequest = Infer<typeof importSpendRequest>;

/** POST /api/imports/spend: carries over the current period's spend of imported accounts. The spend of keys is imported with the keys. */
export function importSpend(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/imports/spend",
    access: operators("accounts:write"),
    operationId: "importSpend",
    summary: "Carry the spend of accounts at another gateway over. It replaces the spend that was carried over before.",
    body: importSpendRequest,
    maxBodyBytes: 128 * 1024,
    reply: {
      status: 200,
      description: "Whether each account has changed, in the order of the request.",
      json: {
        title: "ImportedSpends",
        type: "object",
        required: ["changed"],
        properties: { changed: { type: "array", items: { type: "boolean" } } },
      },
    },
    async run(call) {
      const spends = call.body.accounts.map(({ id, carried_spend: wire }, at) => ({
        id,
        carried: readCarried(wire, (text) => readTime(text, `accounts[${at}].carried_spend`)),
      }));
      const changed: boolean[] = [];
      for (const { id, carried } of spends) changed.push(await carryOver(id, carried, call, platform));
      return { changed };
    },
  });
}

async function carryOver(
  id: string,
  carried: CarriedByPeriod | undefined,
  call: Call<ImportSpendRequest>,
  platform: Platform,
): Promise<boolean> {
  const made = await platform.accounts.update(id, (current) => {
    refuseManagedElsewhere("account", id, platform.accounts.originOf(id), platform);
    const account = existingAccount(current, id, call.actor);
    if (Bun.deepEquals(account.caps.carried, carried)) return undefined;
    const { carried: _before, ...caps } = account.caps;
    const record: Account = { ...account, caps: withCarried(caps, carried) };
    const what = { before: describeAccount(account), after: describeAccount(record), accountId: id };
    return { record, change: call.change("account.update", { kind: "account", id }, what) };
  });
  return made !== undefined;
}
