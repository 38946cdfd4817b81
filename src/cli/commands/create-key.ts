import { loadConfig } from "../../config.ts";
import { parseIsoDate } from "../../vocabulary/iso-date.ts";
import { UsageError, type Command } from "../command.ts";
import { LIMIT_OPTIONS, readLimitOptions } from "../limit-options.ts";
import { callPlatform } from "../platform-client.ts";
import type { KeyView } from "../views.ts";

const HOURS = { h: 1, d: 24 } as const;
const MAX_HOURS = 100 * 365 * 24;

export const createKey: Command = {
  summary: "Makes a key and shows it, this once.",
  options: {
    name: "what it is for",
    models: "the models it may call: ids or prefixes such as 'gpt-*', with commas between them; '*' for all",
    expires: "when it stops working: 12h, 30d, or a date such as 2027-01-31; never, if not given",
    account: "the account that pays for it; default, if not given",
    ...LIMIT_OPTIONS,
  },
  operands: [],
  async run({ json, options }) {
    if (!options["name"]) throw new UsageError("give the key a name: --name 'my application'");
    if (!options["models"]) throw new UsageError("say which models it may call: --models 'gpt-*,echo', or --models '*'");
    const body = {
      name: options["name"],
      models: options["models"].split(",").map((each) => each.trim()),
      expires_at: expiry(options["expires"]),
      ...(options["account"] !== undefined && { account: options["account"] }),
      ...readLimitOptions(options),
    };
    const key = await callPlatform<KeyView & { key: string }>(await loadConfig(), "POST", "/api/keys", body);
    const until = key.expires_at === null ? "" : ` until ${key.expires_at}`;
    const words = `${key.key}\n\nKey ${key.id} of account ${key.account} for ${key.models.join(", ")}${until}. It is shown this once: only a hash of it is kept.\n`;
    process.stdout.write(json ? `${JSON.stringify(key)}\n` : words);
  },
};

function expiry(text: string | undefined): string | null {
  if (text === undefined) return null;
  const [, count, unit] = /^(\d+)([hd])$/.exec(text) ?? [];
  if (count === undefined) {
    if (parseIsoDate(text) === undefined) throw new UsageError("--expires must be 12h, 30d, or a date such as 2027-01-31");
    return text;
  }
  const hours = Number(count) * HOURS[unit as "h" | "d"];
  if (hours > MAX_HOURS) throw new UsageError("--expires is more than a hundred years away; leave it out for never");
  return new Date(Date.now() + hours * 3_600_000).toISOString();
}
