import { formatFacts } from "../../facts.ts";
import { platformCommand } from "../../platform-command.ts";
import type { KeyView } from "../../views.ts";
import { describeLimits, describeSpending, inDollars, inTime, stateOfKey } from "../../words.ts";
import { KEY } from "./key-operand.ts";

export const showKey = platformCommand<KeyView>({
  summary: "Shows a key: what it may do, what it has spent, its limits.",
  examples: ["keys show 4fQ8sLm2XyZ1"],
  operands: [KEY],
  call: "GET /api/keys/{id}",
  print: describeKey,
});

export function describeKey(key: KeyView): string {
  return formatFacts([
    ["Key", `${key.id} (${key.name}) of account ${key.account}`],
    ["State", key.expires_at === null ? stateOfKey(key) : `${stateOfKey(key)}, expires ${inTime(key.expires_at)} UTC`],
    ...(key.previous_key_works_until === null
      ? []
      : [["", `as it was before its rotation, it works until ${inTime(key.previous_key_works_until)} UTC`]]),
    ["Made", `${inTime(key.created_at)} UTC`],
    ["Last used", key.last_used_at === null ? "never" : `${inTime(key.last_used_at)} UTC`],
    ["Models", key.models.join(", ")],
    ["Held", inDollars(key.held)],
    ...describeSpending(key.spent, key.caps),
    ["Limits", describeLimits(key.limits)],
  ]);
}
