import { loadConfig } from "../../config.ts";
import type { Command } from "../command.ts";
import { callPlatform } from "../platform-client.ts";
import type { KeyView } from "../views.ts";

export const revokeKey: Command = {
  summary: "Revokes a key for good, from the next request on.",
  options: {},
  operands: ["ID"],
  async run({ json, operands }) {
    const path = `/api/keys/${encodeURIComponent(operands[0]!)}`;
    const key = await callPlatform<KeyView>(await loadConfig(), "DELETE", path);
    process.stdout.write(json ? `${JSON.stringify(key)}\n` : `Revoked ${key.id} (${key.name}).\n`);
  },
};
