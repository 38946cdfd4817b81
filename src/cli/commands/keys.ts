import type { Key, KeyAfterRevoke, NewKey, RevokedKey } from "../../../platform-client/types.ts";
import { changeCommand } from "../change-command.ts";
import type { Operand } from "../command.ts";
import { formatDetails, warnOfModels } from "../format/format-details.ts";
import { describeRestrictions, describeSpending, formatDay, formatUsd, formatTime, stateOfKey } from "../format/format-values.ts";
import { LIMIT_OPTIONS } from "../limit-options.ts";
import { listCommand } from "../list-command.ts";
import { listOptions } from "../list-options.ts";
import { choice, clearable, GRACE_PERIOD, list, moment, readKeyId, required, text } from "../options.ts";
import { platformCommand } from "../platform-command.ts";
import { TOLLGATE } from "../../lib/this-program.ts";

const KEY: Operand = {
  name: "ID",
  meaning: "key ID, as shown by keys list: the 12 characters after sk-service-",
  read: readKeyId,
};

/** The fields of a key that can be set and updated. */
const KEY_OPTIONS = {
  name: text("name", "name, such as the application that uses it"),
  models: list("models", "models it may call: IDs or prefixes such as 'gpt-*', separated by commas; '*' for all"),
  expires: clearable(moment("expires_at", "expiry: 12h, 30d, or a date such as 2027-01-31; none for never")),
  ...LIMIT_OPTIONS,
};

export const createKey = platformCommand<NewKey>({
  summary: "Create a key. Its secret is shown only once.",
  examples: [
    "keys create --name 'my application' --models 'gpt-*,echo'",
    "keys create --name 'a trial' --models '*' --expires 30d --total-cap 5 --requests-per-minute 60",
  ],
  options: {
    ...KEY_OPTIONS,
    name: required(KEY_OPTIONS.name, "give the key a name: --name 'my application'"),
    models: required(KEY_OPTIONS.models, "name the models it may call: --models 'gpt-*,echo', or --models '*'"),
    account: text("account", "account that is charged (default: your own, else default)", "ACCOUNT"),
  },
  call: "POST /api/keys",
  print(key) {
    const until = key.expires_at === null ? "" : ` until ${key.expires_at}`;
    return `${key.key}\n\nKey ${key.id} of account ${key.account} for ${key.models.join(", ")}${until}. The secret is shown only once: Tollgate stores a hash of it.\n${warnOfModels(key.unknown_models)}`;
  },
});

export const listKeys = listCommand<Key>({
  summary: "List keys, newest first unless --sort is given.",
  examples: [
    "keys list",
    "keys list --account default --state active",
    "keys list --search 'my app' --all --json",
    "keys list --sort spent --limit 10",
    "keys list --imported --sort last_used",
  ],
  options: {
    account: text("account", "only keys of this account", "ACCOUNT"),
    state: choice("state", ["active", "paused", "expired", "revoked"], "only keys in this state"),
    imported: {
      field: "imported",
      meaning: "only keys with the secret of another gateway: sort by last_used to see which are still used",
      read: () => "true",
    },
    search: text("search", "only keys whose name contains this text, or whose ID starts with it"),
    ...listOptions("keys", ["created", "name", "account", "expires", "last_used", "spent"]),
  },
  call: "GET /api/keys",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "STATE", cell: stateOfKey },
    { heading: "EXPIRES", cell: (key) => (key.expires_at === null ? "never" : formatDay(key.expires_at)) },
    { heading: "LAST USED", cell: (key) => (key.last_used_at === null ? "never" : formatDay(key.last_used_at)) },
    { heading: "ACCOUNT", cell: ({ account }) => account, isLong: true },
    { heading: "SPENT (MONTH)", cell: ({ spent }) => spent.month, align: "point" },
    { heading: "MODELS", cell: ({ models }) => models.join(","), isLong: true },
    { heading: "NAME", cell: ({ name }) => name, isLong: true },
  ],
});

export const showKey = platformCommand<Key>({
  summary: "Show a key: state, models, spending, spend caps and limits.",
  examples: ["keys show 4fQ8sLm2XyZ1"],
  operands: [KEY],
  call: "GET /api/keys/{id}",
  print: describeKey,
});

function describeKey(key: Key): string {
  return formatDetails([
    ["Key", `${key.id} (${key.name}) of account ${key.account}`],
    ["State", key.expires_at === null ? stateOfKey(key) : `${stateOfKey(key)}, expires ${formatTime(key.expires_at)} UTC`],
    ...(key.previous_key_works_until === null
      ? []
      : [["", `the previous secret works until ${formatTime(key.previous_key_works_until)} UTC`]]),
    ["Created", `${formatTime(key.created_at)} UTC`],
    ...(key.imported === null ? [] : [["Imported", `from ${key.imported.from} at ${formatTime(key.imported.at)} UTC: rotate it`] as const]),
    ["Last used", key.last_used_at === null ? "never" : `${formatTime(key.last_used_at)} UTC`],
    ["Models", key.models.join(", ")],
    ["Reserved", `${formatUsd(key.held)} by in-flight requests`],
    ...describeSpending(key.spent, key.caps),
    ...describeRestrictions(key),
  ]);
}

export const updateKey = changeCommand<Key>({
  summary: "Update a key.",
  examples: [
    "keys update 4fQ8sLm2XyZ1 --models 'gpt-*' --daily-cap 5",
    "keys update 4fQ8sLm2XyZ1 --requests-per-minute none",
    "keys update 4fQ8sLm2XyZ1 --monthly-cap 20 --preview",
  ],
  details: "The change applies from the next request. Fields that are not given stay unchanged.",
  operands: [KEY],
  options: KEY_OPTIONS,
  call: "PATCH /api/keys/{id}",
  print: describeKey,
});

export const rotateKey = platformCommand<NewKey>({
  summary: "Rotate a key's secret. The new secret is shown only once.",
  details:
    "The old secret keeps working during a grace period, so that clients can switch without downtime. ID, limits, spend caps and spending stay unchanged.",
  examples: ["keys rotate 4fQ8sLm2XyZ1", "keys rotate 4fQ8sLm2XyZ1 --grace-period 7d", "keys rotate 4fQ8sLm2XyZ1 --grace-period 0"],
  operands: [KEY],
  options: { "grace-period": GRACE_PERIOD },
  call: "POST /api/keys/{id}/rotate",
  print({ key, id, previous_key_works_until: until }) {
    const before = until === null ? "The old secret no longer works." : `The old secret works until ${formatTime(until)} UTC.`;
    return `${key}\n\nNew secret of key ${id}. It is shown only once: Tollgate stores a hash of it. ${before}\n`;
  },
});

export const cloneKey = platformCommand<NewKey>({
  summary: "Create a key with the settings of another. Its secret is shown only once.",
  details: "Account, models, limits, spend caps and expiry are copied; the secret, the spending and the state are not.",
  examples: ["keys clone 4fQ8sLm2XyZ1", "keys clone 4fQ8sLm2XyZ1 --name 'my other application' --expires none"],
  operands: [KEY],
  options: {
    name: text("name", "name (default: the name of the other key, with (copy))"),
    expires: KEY_OPTIONS.expires,
  },
  call: "POST /api/keys/{id}/clone",
  print: ({ key, id, name, account }) =>
    `${key}\n\nKey ${id} (${name}) of account ${account}. The secret is shown only once: Tollgate stores a hash of it.\n`,
});

export const pauseKey = changeCommand<Key>({
  summary: "Pause a key: its requests are rejected until it is resumed.",
  details: "In-flight requests are finished. Requests are answered with 401 and the code api_key_paused.",
  examples: ["keys pause 4fQ8sLm2XyZ1", "keys pause 4fQ8sLm2XyZ1 --preview"],
  operands: [KEY],
  sets: { paused: true },
  call: "PATCH /api/keys/{id}",
  print: ({ id, name }) => `Paused ${id} (${name}).\n`,
});

export const resumeKey = platformCommand<Key>({
  summary: "Resume a paused key.",
  examples: ["keys resume 4fQ8sLm2XyZ1"],
  operands: [KEY],
  sets: { paused: false },
  call: "PATCH /api/keys/{id}",
  print: (key) => `Resumed ${key.id} (${key.name}). Its state is ${stateOfKey(key)}.\n`,
});

export const archiveKey = changeCommand<Key>({
  summary: "Archive a key: pause it, and hide it from lists.",
  examples: ["keys archive 4fQ8sLm2XyZ1"],
  operands: [KEY],
  sets: { archived: true },
  call: "PATCH /api/keys/{id}",
  print: ({ id, name }) => `Archived ${id} (${name}).\n`,
});

export const restoreKey = platformCommand<Key>({
  summary: "Restore an archived key. It stays paused until you run keys resume.",
  examples: ["keys restore 4fQ8sLm2XyZ1"],
  operands: [KEY],
  sets: { archived: false },
  call: "PATCH /api/keys/{id}",
  print: (key) => `Restored ${key.id} (${key.name}). Its state is ${stateOfKey(key)}.\n`,
});

export const removeKey = platformCommand<Key>({
  summary: "Remove a key that was never used, with its record.",
  details: "The key must not be active: pause, archive or revoke it first. A key that was used stays, because requests refer to it.",
  examples: ["keys remove 4fQ8sLm2XyZ1"],
  operands: [KEY],
  call: "DELETE /api/keys/{id}/record",
  print: ({ id, name }) => `Removed ${id} (${name}).\n`,
});

export const revokeKey = platformCommand<KeyAfterRevoke>({
  summary: "Revoke a key permanently, from the next request.",
  details: "In-flight requests are finished. A revoked key cannot be restored: create another one.",
  examples: ["keys revoke 4fQ8sLm2XyZ1"],
  operands: [KEY],
  call: "DELETE /api/keys/{id}",
  print: ({ id, name, was_revoked_before: wasBefore, revoked_at: at }) =>
    wasBefore ? `${id} (${name}) was already revoked, at ${formatTime(at!)} UTC.\n` : `Revoked ${id} (${name}).\n`,
});

export const revokeLeakedKey = platformCommand<RevokedKey>({
  summary: "Revoke a leaked key by its secret. No token is needed.",
  examples: ["keys revoke-leaked < found.txt", `printenv LEAKED_KEY | ${TOLLGATE} keys revoke-leaked`],
  stdin: { field: "key", what: "the key" },
  call: "POST /api/keys/revoke",
  isPublic: true,
  print: ({ id, key_still_works: worksOn }) =>
    worksOn
      ? `The leaked secret no longer works. Key ${id} has been rotated since, and its current secret still works.\n`
      : `Revoked ${id}: the leaked secret no longer works.\n`,
});
