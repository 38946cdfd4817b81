import { loadConfig } from "../../config.ts";
import { UsageError, type Command } from "../command.ts";
import { LIMIT_OPTIONS, readLimitOptions } from "../limit-options.ts";
import { callPlatform } from "../platform-client.ts";
import type { KeyView } from "../views.ts";
import { describeKey } from "./show-key.ts";

export const updateKey: Command = {
  summary: "Changes what is given of a key, from the next request on.",
  options: {
    name: "what it is for",
    models: "the models it may call, with commas between them",
    ...LIMIT_OPTIONS,
  },
  operands: ["ID"],
  async run({ json, options, operands }) {
    const { name, models } = options;
    const changes = {
      ...(name !== undefined && { name }),
      ...(models !== undefined && { models: models.split(",").map((each) => each.trim()) }),
      ...readLimitOptions(options),
    };
    if (Object.keys(changes).length === 0) throw new UsageError("say what to change");
    const key = await callPlatform<KeyView>(await loadConfig(), "PATCH", `/api/keys/${encodeURIComponent(operands[0]!)}`, changes);
    process.stdout.write(json ? `${JSON.stringify(key)}\n` : describeKey(key));
  },
};
