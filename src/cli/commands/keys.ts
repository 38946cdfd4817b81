import type { Key, KeyAfterRevoke, NewKey, RevokedKey } from "../../../platform-client/types.ts";
import { changeCommand } from "../change-command.ts";
import type { Operand } from "../command.ts";
import { formatDetails } from "../format-details.ts";
import { describeLimits, describeSpending, formatDay, formatUsd, formatTime, stateOfKey } from "../format-values.ts";
import { LIMIT_OPTIONS } from "../limit-options.ts";
import { listCommand } from "../list-command.ts";
import { choice, clearable, duration, list, moment, required, text } from "../options.ts";
import { platformCommand } from "../platform-command.ts";

export const KEY: Operand = { name: "ID", meaning: "the key's id, as keys list shows it: the 12 characters after sk-service-" };

/** What a key is made with and can be changed to. */
export const KEY_OPTIONS = {
  name: text("name", "what it is for"),
  models: list("models", "the models it may call: ids or prefixes such as 'gpt-*', with commas between them; '*' for all"),
  expires: clearable(moment("expires_at", "when it stops working: 12h, 30d, or a date such as 2027-01-31; none for never")),
  ...LIMIT_OPTIONS,
};

export const createKey = platformCommand<NewKey>({
  summary: "Makes a key and shows it, this once.",
  examples: [
    "keys create --name 'my application' --models 'gpt-*,echo'",
    "keys create --name 'a trial' --models '*' --expires 30d --total-cap 5 --requests-per-minute 60",
  ],
  options: {
    ...KEY_OPTIONS,
    name: required(KEY_OPTIONS.name, "give the key a name: --name 'my application'"),
    models: required(KEY_OPTIONS.models, "say which models it may call: --models 'gpt-*,echo', or --models '*'"),
    account: text("account", "the account that pays for it; your own, or default, if not given", "ACCOUNT"),
  },
  call: "POST /api/keys",
  print(key) {
    const until = key.expires_at === null ? "" : ` until ${key.expires_at}`;
    return `${key.key}\n\nKey ${key.id} of account ${key.account} for ${key.models.join(", ")}${until}. It is shown this once: only a hash of it is kept.\n`;
  },
});

export const listKeys = listCommand<Key>({
  summary: "Lists keys, newest first.",
  examples: ["keys list", "keys list --account default --state active", "keys list --search 'my app' --all --json"],
  options: {
    account: text("account", "those of one account", "ACCOUNT"),
    state: choice("state", ["active", "expired", "revoked"], "those in this state"),
    search: text("search", "those whose name has this in it, or whose id begins with it"),
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
  summary: "Shows a key: what it may do, what it has spent, its limits.",
  examples: ["keys show 4fQ8sLm2XyZ1"],
  operands: [KEY],
  call: "GET /api/keys/{id}",
  print: describeKey,
});

export function describeKey(key: Key): string {
  return formatDetails([
    ["Key", `${key.id} (${key.name}) of account ${key.account}`],
    ["State", key.expires_at === null ? stateOfKey(key) : `${stateOfKey(key)}, expires ${formatTime(key.expires_at)} UTC`],
    ...(key.previous_key_works_until === null
      ? []
      : [["", `as it was before its rotation, it works until ${formatTime(key.previous_key_works_until)} UTC`]]),
    ["Made", `${formatTime(key.created_at)} UTC`],
    ["Last used", key.last_used_at === null ? "never" : `${formatTime(key.last_used_at)} UTC`],
    ["Models", key.models.join(", ")],
    ["Held", formatUsd(key.held)],
    ...describeSpending(key.spent, key.caps),
    ["Limits", describeLimits(key.limits)],
  ]);
}

export const updateKey = changeCommand<Key>({
  summary: "Changes what is given of a key, from the next request on.",
  examples: [
    "keys update 4fQ8sLm2XyZ1 --models 'gpt-*' --daily-cap 5",
    "keys update 4fQ8sLm2XyZ1 --requests-per-minute none",
    "keys update 4fQ8sLm2XyZ1 --monthly-cap 20 --preview",
  ],
  operands: [KEY],
  options: KEY_OPTIONS,
  call: "PATCH /api/keys/{id}",
  print: describeKey,
});

export const rotateKey = platformCommand<NewKey>({
  summary: "Makes a key anew under its id and shows it, this once. The key as it was works on for a while.",
  details: "Give the new one to whoever uses it, within the overlap: nothing stops meanwhile. Limits, caps and spending stay as they are.",
  examples: ["keys rotate 4fQ8sLm2XyZ1", "keys rotate 4fQ8sLm2XyZ1 --overlap 7d", "keys rotate 4fQ8sLm2XyZ1 --overlap 0"],
  operands: [KEY],
  options: {
    overlap: duration(
      "overlap_seconds",
      "how long the key as it was works on: 30m, 24h, 7d, up to 30d; 0 ends it at once; 24h, if not given",
    ),
  },
  call: "POST /api/keys/{id}/rotate",
  print({ key, id, previous_key_works_until: until }) {
    const before = until === null ? "The key as it was works no more." : `The key as it was works until ${formatTime(until)} UTC.`;
    return `${key}\n\nKey ${id} is this from now on. It is shown this once: only a hash of it is kept. ${before}\n`;
  },
});

export const revokeKey = platformCommand<KeyAfterRevoke>({
  summary: "Revokes a key for good, from the next request on.",
  details: "An answer under way goes on. There is no way back: make another key.",
  examples: ["keys revoke 4fQ8sLm2XyZ1"],
  operands: [KEY],
  call: "DELETE /api/keys/{id}",
  print: ({ id, name, was_revoked_before: wasBefore, revoked_at: at }) =>
    wasBefore ? `${id} (${name}) was revoked before, at ${formatTime(at!)} UTC.\n` : `Revoked ${id} (${name}).\n`,
});

export const revokeLeakedKey = platformCommand<RevokedKey>({
  summary: "Revokes a key that has leaked, by the key itself. Whoever has found one may: no token is needed.",
  examples: ["keys revoke-leaked < found.txt", "printenv LEAKED_KEY | npx tollgate keys revoke-leaked"],
  stdin: { field: "key", what: "the key" },
  call: "POST /api/keys/revoke",
  isOpen: true,
  print: ({ id, key_still_works: worksOn }) =>
    worksOn
      ? `What was sent opens nothing any more. The key ${id} was rotated since, and works on as it is now.\n`
      : `Revoked ${id}: what was sent opens nothing any more.\n`,
});
