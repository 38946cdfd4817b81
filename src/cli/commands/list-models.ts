import { loadConfig } from "../../config.ts";
import type { Command } from "../command.ts";
import { callPlatform, type ModelView } from "../platform-client.ts";
import { formatTable } from "../table.ts";

export const listModels: Command = {
  summary: "Lists the models and where each is served.",
  options: {},
  operands: [],
  async run({ json }) {
    const answer = await callPlatform<{ data: ModelView[] }>(await loadConfig(), "GET", "/api/models");
    const rows = answer.data.map((model) => [
      model.id,
      model.state,
      model.owned_by,
      model.routes.map((route) => `${route.upstream}/${route.model}`).join(", "),
      model.shutdown_date ?? "",
      model.replacement ?? "",
    ]);
    const headings = ["ID", "STATE", "OWNER", "SERVED BY", "SHUTDOWN", "REPLACEMENT"];
    process.stdout.write(json ? `${JSON.stringify(answer)}\n` : formatTable(headings, rows));
  },
};
