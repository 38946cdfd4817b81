import { loadConfig } from "../../config.ts";
import type { Command } from "../command.ts";
import { callPlatform, type KeyView } from "../platform-client.ts";
import { formatTable } from "../table.ts";

export const listKeys: Command = {
  summary: "Lists the keys, newest first.",
  options: {},
  operands: [],
  async run({ json }) {
    const answer = await callPlatform<{ data: KeyView[] }>(await loadConfig(), "GET", "/api/keys");
    const rows = answer.data.map((key) => [
      key.id,
      stateOf(key),
      key.created_at.slice(0, 10),
      key.expires_at?.slice(0, 10) ?? "never",
      key.models.join(","),
      key.name,
    ]);
    process.stdout.write(json ? `${JSON.stringify(answer)}\n` : formatTable(["ID", "STATE", "CREATED", "EXPIRES", "MODELS", "NAME"], rows));
  },
};

function stateOf(key: KeyView): string {
  if (key.active) return "active";
  return key.revoked_at === null ? "expired" : "revoked";
}
