import { loadConfig } from "../../config.ts";
import type { Command } from "../command.ts";
import { callPlatform } from "../platform-client.ts";
import { alignPoints, formatTable } from "../table.ts";
import type { KeyView } from "../views.ts";
import { stateOfKey } from "../words.ts";

export const listKeys: Command = {
  summary: "Lists the keys, newest first.",
  options: {},
  operands: [],
  async run({ json }) {
    const answer = await callPlatform<{ data: KeyView[] }>(await loadConfig(), "GET", "/api/keys");
    const spent = alignPoints(answer.data.map((key) => key.spent.month));
    const rows = answer.data.map((key, at) => [
      key.id,
      stateOfKey(key),
      key.created_at.slice(0, 10),
      key.expires_at?.slice(0, 10) ?? "never",
      key.account,
      spent[at]!,
      key.models.join(","),
      key.name,
    ]);
    const headings = ["ID", "STATE", "CREATED", "EXPIRES", "ACCOUNT", "SPENT THIS MONTH", "MODELS", "NAME"];
    process.stdout.write(json ? `${JSON.stringify(answer)}\n` : formatTable(headings, rows));
  },
};
