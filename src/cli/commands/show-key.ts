import { loadConfig } from "../../config.ts";
import type { Command } from "../command.ts";
import { callPlatform } from "../platform-client.ts";
import { formatColumns } from "../table.ts";
import type { KeyView } from "../views.ts";
import { describeLimits, describeSpending, inDollars, inTime, stateOfKey } from "../words.ts";

export const showKey: Command = {
  summary: "Shows a key: what it may do, what it has spent, its limits.",
  options: {},
  operands: ["ID"],
  async run({ json, operands }) {
    const key = await callPlatform<KeyView>(await loadConfig(), "GET", `/api/keys/${encodeURIComponent(operands[0]!)}`);
    process.stdout.write(json ? `${JSON.stringify(key)}\n` : describeKey(key));
  },
};

export function describeKey(key: KeyView): string {
  return formatColumns([
    ["Key", `${key.id} (${key.name}) of account ${key.account}`],
    ["State", key.expires_at === null ? stateOfKey(key) : `${stateOfKey(key)}, expires ${inTime(key.expires_at)} UTC`],
    ["Models", key.models.join(", ")],
    ["Held", inDollars(key.held)],
    ...describeSpending(key.spent, key.caps),
    ["Limits", describeLimits(key.limits)],
  ]);
}
