import { changeValues, fieldsOf, initialValues, valuesIn } from "../../lib/schema/settings.ts";
import {
  keySettings,
  type KeyRecord,
  issueKey,
  KEY_STATES,
  stateOfKey,
  hasEnded,
  rotateKey as rotate,
  isActive,
  locateKey,
  previousWorksUntil,
  whichText,
} from "../../access/api-key.ts";
import { members, accountFilter } from "../../access/access.ts";
import type { Platform } from "../platform.ts";
import { refuseWithoutAttribution, readFutureTime, nextStateTimestamp, refuseCharged, viewTime } from "./fields.ts";
import { DEFAULT_ACCOUNT } from "../../access/account.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { operation, type Operation, type Call } from "../operation.ts";
import { requireAccount, unknownModelsIn, findKey, existingKey } from "./find-resource.ts";
import { nameSchema } from "../../lib/schema/name-schema.ts";
import { describeKey, newKeySchema, viewKey, keySchema, viewUsedKey } from "./key-view.ts";
import { isListed, sortedPage, searchFor, sortedListQuery, sortedListSchema, type SortOrders } from "../sorted-list.ts";
import type { Infer } from "../../lib/schema/infer.ts";
import { PLAIN_ATTRIBUTION, type AttributionSettings } from "../../access/attribution-settings.ts";
import { previewChange } from "../preview/change-preview.ts";
import { simulateKeyChange } from "../preview/simulate-key-change.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { Update } from "../../access/change.ts";
import { MinuteThrottle } from "../minute-throttle.ts";
import { networkOf } from "../../lib/net/network-of.ts";
import { CHAT_REQUEST_HEADERS, DRY_RUN_TYPE } from "../../requests/chat-headers.ts";
import { COMPLETION_HEADERS } from "../../requests/chat-reply-headers.ts";
import { admitActor } from "../guard.ts";

const createRequest = {
  title: "CreateKeyRequest",
  type: "object",
  additionalProperties: false,
  required: ["name", "models"],
  properties: {
    name: { ...nameSchema, description: "The purpose of the key." },
    ...fieldsOf(keySettings, "wire"),
    account: { type: "string", description: "The id of the account that pays. Default: the member's own account, or `default`." },
    expires_at: { type: "string", nullable: true, description: "The expiry time, such as 2027-01-31T00:00:00Z; null for no expiry." },
  },
} as const satisfies Schema;

/** POST /api/keys: creates a key. */
export function createKey(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/keys",
    access: members("keys:write"),
    operationId: "createKey",
    summary: "Create a key. The plaintext key is shown only in this reply.",
    body: createRequest,
    reply: { status: 201, description: "The key.", json: newKeySchema },
    async run({ actor, body, change }) {
      const nowMs = platform.nowMs();
      const account = requireAccount(body.account ?? actor.accountId ?? DEFAULT_ACCOUNT, actor, platform);
      const wanted = {
        name: body.name,
        accountId: account.id,
        ...changeValues(keySettings, initialValues(keySettings), body),
        expiresAtMs: body.expires_at == null ? null : readFutureTime(body.expires_at, "expires_at", nowMs),
      };
      refuseWithoutAttribution(wanted, account.attribution);
      const { key, record } = issueKey(wanted, platform.hashSecret, nowMs);
      const what = { before: null, after: describeKey(record), accountId: record.accountId };
      await platform.keys.add(record, change("key.create", { kind: "key", id: record.id }, what));
      const unknown = unknownModelsIn(record.models, actor, platform);
      return { ...(await viewKey(record, platform)), key: key.reveal(), unknown_models: unknown };
    },
    async showCreated(id, { actor }) {
      const record = findKey(id, actor, platform);
      const unknown = unknownModelsIn(record.models, actor, platform);
      return { ...(await viewKey(record, platform)), key: null, unknown_models: unknown };
    },
  });
}

const SORTS = ["created", "name", "account", "expires", "last_used", "spent"];

/** GET /api/keys: a page of keys, newest first. Members see the keys of their own account. */
export function listKeys(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/keys",
    access: members("keys:read"),
    operationId: "listKeys",
    summary: "List keys, newest first by default",
    query: {
      account: { type: "string", description: "Keys of one account." },
      search: {
        type: "string",
        minLength: 1,
        maxLength: 100,
        description: "Keys whose name contains this text, or whose id starts with it.",
      },
      state: { type: "string", enum: KEY_STATES, description: "Keys in this state." },
      imported: { type: "string", enum: ["true", "false"], description: "Keys with the secret of another gateway, or all others." },
      ...sortedListQuery("keys", SORTS, "`spent` compares the spend of this month."),
    },
    reply: { status: 200, description: "A page of keys.", json: sortedListSchema("KeyPage", keySchema) },
    async run({ actor, query, cursors }) {
      const nowMs = platform.nowMs();
      const { search = "", state } = query;
      const accountIds = accountFilter(actor, query.account);
      const hasText = searchFor(query.search);
      const items = await platform.keys.list();
      return sortedPage(query, cursors, {
        items,
        isMatch: (key) =>
          isListed(query, key.archivedAtMs) &&
          accountIds.every((id) => id === key.accountId) &&
          (state === undefined || state === stateOfKey(key, nowMs)) &&
          (query.imported === undefined || (query.imported === "true") === (key.imported !== null)) &&
          (key.id.startsWith(search) || hasText(key.name)),
        sorts: await sortsOf(query.sort, items, platform),
        async viewer(page) {
          const lastUses = await platform.lastUsed.lastUsedTimes(page.map(({ id }) => id));
          return (key) => viewUsedKey(key, lastUses, platform);
        },
      });
    },
  });
}

async function sortsOf(
  sort: string | undefined,
  keys: readonly KeyRecord[],
  { lastUsed, ledgerRecords, nowMs }: Platform,
): Promise<SortOrders<KeyRecord>> {
  const now = nowMs();
  const lastUses = sort === "last_used" ? await lastUsed.lastUsedTimes(keys.map(({ id }) => id)) : new Map<string, number>();
  return {
    created: { valueOf: ({ createdAtMs }) => createdAtMs, direction: "desc" },
    name: { valueOf: ({ name }) => name.toLowerCase(), direction: "asc" },
    account: { valueOf: ({ accountId }) => accountId, direction: "asc" },
    expires: { valueOf: ({ expiresAtMs }) => expiresAtMs ?? Number.MAX_SAFE_INTEGER, direction: "asc" },
    last_used: { valueOf: ({ id }) => lastUses.get(id) ?? 0, direction: "desc" },
    spent: { valueOf: ({ id }) => Number(ledgerRecords.spendingOf("key", id, now).monthNanos), direction: "desc" },
  };
}

/** GET /api/keys/:id: a key with its permissions and spend. */
export function showKey(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/keys/:id",
    access: members("keys:read"),
    operationId: "showKey",
    summary: "Show a key with its permissions and spend",
    reply: { status: 200, description: "The key.", json: keySchema },
    run: async ({ actor, param }) => await viewKey(findKey(param("id"), actor, platform), platform),
  });
}

const updateRequest = {
  title: "UpdateKeyRequest",
  type: "object",
  additionalProperties: false,
  properties: {
    name: nameSchema,
    ...fieldsOf(keySettings, "wire"),
    expires_at: { type: "string", nullable: true, description: "The expiry time; null for no expiry." },
    paused: { type: "boolean", description: "Whether it is paused: rejected with `api_key_paused` until it is resumed." },
    archived: { type: "boolean", description: "Whether it is archived: paused, and hidden from lists. A restored key stays paused." },
  },
} as const satisfies Schema;

type KeyChanges = Infer<typeof updateRequest>;

/** PATCH /api/keys/:id: updates the given fields. Takes effect with the next request. */
export function updateKey(platform: Platform): Operation {
  return operation({
    method: "PATCH",
    path: "/api/keys/:id",
    access: members("keys:write"),
    operationId: "updateKey",
    summary: "Update a key. Only the given fields change, from its next request on.",
    body: updateRequest,
    reply: { status: 200, description: "The updated key.", json: keySchema },
    async run({ actor, body, param, change }) {
      const id = param("id");
      const { record } = await platform.keys.update(id, (current) => {
        const key = existingKey(current, id, actor);
        const changed = changeKey(key, body, platform.nowMs());
        refuseWithoutAttribution(changed, attributionOf(key, platform));
        const what = { before: describeKey(key), after: describeKey(changed), accountId: key.accountId };
        return { record: changed, change: change("key.update", { kind: "key", id }, what) };
      });
      return await viewKey(record, platform);
    },
    preview(call) {
      const key = findKey(call.param("id"), call.actor, platform);
      const changed = changeKey(key, call.body, platform.nowMs());
      refuseWithoutAttribution(changed, attributionOf(key, platform));
      const { id, accountId } = key;
      return previewChange(simulateKeyChange({ scope: "key", id, accountId }, key, changed, platform), call, platform);
    },
  });
}

function attributionOf({ accountId }: KeyRecord, { accounts }: Platform): AttributionSettings {
  return accounts.find(accountId)?.attribution ?? PLAIN_ATTRIBUTION;
}

function changeKey(key: KeyRecord, changes: KeyChanges, nowMs: number): KeyRecord {
  const { name, expires_at: expiresAt } = changes;
  return {
    ...withState(key, changes, nowMs),
    ...changeValues(keySettings, key, changes),
    name: name ?? key.name,
    expiresAtMs: expiresAt == null ? (expiresAt === null ? null : key.expiresAtMs) : readFutureTime(expiresAt, "expires_at", nowMs),
  };
}

/** An archived key is also paused, so that no key works that is hidden from lists. */
function withState(key: KeyRecord, { paused, archived }: KeyChanges, nowMs: number): KeyRecord {
  const isRevoked = key.revokedAtMs !== null;
  if (paused !== undefined && isRevoked) throw new ApiError("state_conflict", "This key was revoked permanently. Create a new one.");
  const archivedAtMs = nextStateTimestamp(archived, key.archivedAtMs, nowMs);
  if (paused === false && archivedAtMs !== null) throw new ApiError("state_conflict", "This key is archived. Restore it first.");
  return { ...key, archivedAtMs, pausedAtMs: nextStateTimestamp(archived && !isRevoked ? true : paused, key.pausedAtMs, nowMs) };
}

const DAY_SECONDS = 24 * 60 * 60;

const rotateRequest = {
  title: "RotateKeyRequest",
  type: "object",
  additionalProperties: false,
  properties: {
    grace_period_seconds: {
      type: "integer",
      minimum: 0,
      maximum: 30 * DAY_SECONDS,
      description: "The grace period for the old secret in seconds. Default: one day; 0 revokes the old secret immediately.",
    },
  },
} as const satisfies Schema;

/** POST /api/keys/:id/rotate: generates a new secret for the same key id. All settings stay. */
export function rotateKey(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/keys/:id/rotate",
    access: members("keys:write"),
    operationId: "rotateKey",
    summary: "Rotate a key's secret. The old secret stays valid during a grace period; an even older one is revoked immediately.",
    body: rotateRequest,
    reply: { status: 200, description: "The key, with its new plaintext.", json: newKeySchema },
    async run({ actor, body, param, change }) {
      const id = param("id");
      const { key, record } = await platform.keys.update(id, (current) => {
        const nowMs = platform.nowMs();
        const before = existingKey(current, id, actor);
        if (hasEnded(before, nowMs)) throw notActive(before);
        const rotated = rotate(before, (body.grace_period_seconds ?? DAY_SECONDS) * 1000, platform.hashSecret, nowMs);
        const what = { before: describeKey(before), after: describeKey(rotated.record), accountId: before.accountId };
        return { ...rotated, change: change("key.rotate", { kind: "key", id }, what) };
      });
      return { ...(await viewKey(record, platform)), key: key.reveal() };
    },
    showCreated: async (id, { actor }) => ({ ...(await viewKey(findKey(id, actor, platform), platform)), key: null }),
  });
}

function notActive({ revokedAtMs }: KeyRecord): ApiError {
  if (revokedAtMs !== null) return new ApiError("state_conflict", "This key was revoked permanently. Create a new one.");
  return new ApiError("state_conflict", "This key has expired. Set another expiry first, or create a new key.");
}

const SUFFIX = " (copy)";

/** POST /api/keys/:id/clone: creates a key with the settings of another key, in any state. */
export function cloneKey(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/keys/:id/clone",
    access: members("keys:write"),
    operationId: "cloneKey",
    summary:
      "Create a key with the account, models, limits, spend caps and expiry of another. The plaintext key is shown only in this reply.",
    body: {
      title: "CloneKeyRequest",
      type: "object",
      additionalProperties: false,
      properties: {
        name: { ...nameSchema, description: `Default: the name of the other key, with \`${SUFFIX.trim()}\`.` },
        expires_at: {
          type: "string",
          nullable: true,
          description: "The expiry time; null for no expiry. Default: the other key's expiry time.",
        },
      },
    },
    reply: { status: 201, description: "The new key.", json: newKeySchema },
    async run({ actor, body, param, change }) {
      const nowMs = platform.nowMs();
      const source = findKey(param("id"), actor, platform);
      const { accountId } = source;
      const { carried: _spentElsewhere, ...caps } = source.caps;
      requireAccount(accountId, actor, platform);
      const name = body.name ?? `${source.name.slice(0, nameSchema.maxLength - SUFFIX.length)}${SUFFIX}`;
      const wanted = { ...valuesIn(keySettings, source), caps, name, accountId, expiresAtMs: expiryOf(body.expires_at, source, nowMs) };
      const { key, record } = issueKey(wanted, platform.hashSecret, nowMs);
      const what = { before: null, after: { ...describeKey(record), cloned_from: source.id }, accountId };
      await platform.keys.add(record, change("key.create", { kind: "key", id: record.id }, what));
      return { ...(await viewKey(record, platform)), key: key.reveal() };
    },
    showCreated: async (id, { actor }) => ({ ...(await viewKey(findKey(id, actor, platform), platform)), key: null }),
  });
}

function expiryOf(given: string | null | undefined, { expiresAtMs }: KeyRecord, nowMs: number): number | null {
  if (given === null || (given === undefined && expiresAtMs === null)) return null;
  if (given !== undefined) return readFutureTime(given, "expires_at", nowMs);
  if (expiresAtMs! > nowMs) return expiresAtMs;
  throw new ApiError("missing_required_parameter", "expires_at is required, because this key has expired.", { param: "expires_at" });
}

const revokedKeySchema = {
  ...keySchema,
  title: "KeyAfterRevoke",
  required: [...keySchema.required, "was_revoked_before"],
  properties: {
    ...keySchema.properties,
    was_revoked_before: { type: "boolean", description: "Whether the key was already revoked, so that nothing has changed." },
  },
} as const satisfies Schema;

/** DELETE /api/keys/:id: revokes the key from the next request on. Its record remains, so that past entries keep its name. */
export function revokeKey(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/keys/:id",
    access: members("keys:write"),
    operationId: "revokeKey",
    summary: "Revoke a key permanently, from the next request on",
    reply: { status: 200, description: "The revoked key.", json: revokedKeySchema },
    async run({ actor, param, change }) {
      const id = param("id");
      const revocation = await platform.keys.revoke(id, (current) => {
        const key = existingKey(current, id, actor);
        // Nothing changes, so nothing is audited. A revocation that could not be recorded is recorded by the next attempt.
        if (key.revokedAtMs !== null && !platform.keys.isUnwritten(id)) return undefined;
        const record = { ...key, revokedAtMs: key.revokedAtMs ?? platform.nowMs() };
        const what = { before: describeKey({ ...key, revokedAtMs: null }), after: describeKey(record), accountId: key.accountId };
        return { record, change: change("key.revoke", { kind: "key", id }, what) };
      });
      const key = revocation?.record ?? findKey(id, actor, platform);
      return { ...(await viewKey(key, platform)), was_revoked_before: revocation === undefined };
    },
  });
}

const MISSES_IN_A_MINUTE = 30;

const possessionRequest = {
  title: "RevokeByPossessionRequest",
  type: "object",
  additionalProperties: false,
  required: ["key"],
  properties: { key: { type: "string", isSecret: true, description: "The plaintext key to revoke: `sk-service-…`." } },
} as const satisfies Schema;

const possessionReply = {
  title: "RevokedKey",
  type: "object",
  required: ["id", "revoked", "key_still_works"],
  properties: {
    id: { type: "string" },
    revoked: { type: "boolean", description: "Always true: the submitted key is no longer valid." },
    key_still_works: {
      type: "boolean",
      description: "Whether the key with this id has a newer secret, which stays valid because only the old secret was submitted.",
    },
  },
} as const satisfies Schema;

/**
 * POST /api/keys/revoke: the holder of a key can revoke it, so that the finder of a leaked key needs no account. Only the submitted
 * secret is revoked: when the key was rotated, its new secret has not leaked and stays valid.
 */
export function revokeByPossession(platform: Platform): Operation {
  const throttle = new MinuteThrottle(MISSES_IN_A_MINUTE, "Too many attempts came from this address. Try again in a minute.");
  return operation({
    method: "POST",
    path: "/api/keys/revoke",
    access: "anyone",
    operationId: "revokeKeyByPossession",
    summary: "Revoke a leaked key by its plaintext. No other credential is needed.",
    body: possessionRequest,
    reply: { status: 200, description: "The key is revoked.", json: possessionReply },
    async run(call) {
      const key = call.body.key.trim();
      const located = locateKey(key, platform.hashSecret);
      const found = located && platform.keys.find(located.id);
      if (!found || !whichText(found, located.hash)) {
        // Only failed attempts count: a leaked key can be revoked even while its finder's address is being flooded.
        throttle.count(networkOf(call.exchange.callerAddress()), platform.monotonicMs());
        throw new ApiError("unknown_key", "There is no such key.");
      }
      await platform.keys.revoke(found.id, (current) => endSecret(current!, located.hash, call, platform));
      const keyStillWorks = isActive(platform.keys.find(found.id)!, platform.nowMs());
      return { id: found.id, revoked: true, key_still_works: keyStillWorks };
    },
  });
}

/** Ends the secret with this hash; undefined if it has already ended, for example by a concurrent rotation. */
function endSecret(record: KeyRecord, hash: Uint8Array, call: Call, { keys, nowMs }: Platform): Update<KeyRecord> | undefined {
  const text = whichText(record, hash);
  if (!text) return undefined;
  const isInvalid = record.revokedAtMs !== null || (text === "previous" && previousWorksUntil(record, nowMs()) === null);
  // Nothing changes and nothing is logged: the holder of a dead key must not be able to fill the log.
  if (isInvalid && !keys.isUnwritten(record.id)) return undefined;
  if (text === "current" || record.revokedAtMs !== null) {
    return updateByHolder("key.revoke", record, { ...record, revokedAtMs: record.revokedAtMs ?? nowMs() }, call);
  }
  const { previous } = record;
  const rid = { ...record, previous: { ...previous!, worksUntilMs: Math.min(previous!.worksUntilMs, nowMs()) } };
  return updateByHolder("key.revoke_previous", record, rid, call);
}

/** The actor is the holder, of whom only the network address is known. */
function updateByHolder(action: string, before: KeyRecord, after: KeyRecord, { change }: Call): Update<KeyRecord> {
  const what = { before: describeKey(before), after: describeKey(after), accountId: before.accountId };
  const made = change(action, { kind: "key", id: before.id }, what);
  return { record: after, change: { ...made, actor: "key-holder", actorName: "the key's holder" } };
}

/**
 * DELETE /api/keys/:id/record: removes a key that was never used. The key must not be active, so that no request starts meanwhile: a use is
 * reported some seconds later, and a ledger entry is written when the request ends.
 */
export function removeKey(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/keys/:id/record",
    access: members("keys:write"),
    operationId: "removeKey",
    summary: "Remove a key that was never used, with its record. Pause, archive or revoke it first.",
    reply: { status: 200, description: "The removed key.", json: keySchema },
    async run({ actor, param, change }) {
      const id = param("id");
      const removed = await viewKey(refuseActive(findKey(id, actor, platform), platform), platform);
      await refuseUsed(id, platform);
      await platform.keys.remove(id, (current) => {
        const key = refuseActive(existingKey(current, id, actor), platform);
        const what = { before: describeKey(key), after: null, accountId: key.accountId };
        return { change: change("key.remove", { kind: "key", id }, what) };
      });
      return removed;
    },
  });
}

function refuseActive(key: KeyRecord, { nowMs }: Platform): KeyRecord {
  if (!isActive(key, nowMs())) return key;
  throw new ApiError("state_conflict", "This key is active. Pause, archive or revoke it first.");
}

async function refuseUsed(id: string, platform: Platform): Promise<void> {
  const what = `The key ${id}`;
  await refuseCharged(what, { keyId: id }, platform);
  const lastUsedAtMs = (await platform.lastUsed.lastUsedTimes([id])).get(id);
  const { heldNanos } = platform.ledgerRecords.spendingOf("key", id, platform.nowMs());
  if (lastUsedAtMs === undefined && heldNanos === 0n) return;
  const when = lastUsedAtMs === undefined ? "by a request in flight" : `at ${viewTime(lastUsedAtMs)}`;
  throw new ApiError("still_in_use", `${what} cannot be removed: it was used ${when}, and requests refer to it. Archive it instead.`);
}

/** The same access as for an update of the key, because a call spends the key's credit. */
const access = members("keys:write");

/**
 * POST /api/keys/:id/chat/completions: calls a model as this key, for people who may use the key but do not have its plaintext. It counts
 * as a change by that person, so that spending with a stolen session is throttled like changes.
 */
export function callAsKey(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/keys/:id/chat/completions",
    access,
    operationId: "callAsKey",
    summary: "Call a model as this key, without its plaintext. The request is admitted, charged and logged like any request with the key.",
    body: { type: "object", description: "The body of the gateway's `POST /v1/chat/completions`." },
    passesBodyOn: true,
    requestHeaders: CHAT_REQUEST_HEADERS,
    reply: {
      status: 200,
      description: "The gateway's response. Errors have the gateway's status and message.",
      headers: COMPLETION_HEADERS,
      json: { type: "object", description: "The completion." },
      events: { type: "string", description: "The chunks, with `stream: true`." },
      others: { [DRY_RUN_TYPE]: { type: "object", description: "The dry run, with `x-dry-run: 1`." } },
    },
    run({ param, exchange }) {
      // Resolved again after the body has arrived: a person who was disabled meanwhile cannot finish.
      const resolveCaller = (): KeyRecord => findKey(param("id"), admitActor(exchange, access, platform), platform);
      resolveCaller();
      return platform.callAsKey(resolveCaller, exchange);
    },
  });
}
