import { resolve } from "node:path";
import { loadConfig, readDeclared } from "../../../config.ts";
import type { Command } from "../../command.ts";
import { unpricedModels } from "../../../models/catalog.ts";
import { remarksOn, remarksOnUpstreams } from "../../../config/remarks.ts";
import { asJson, printable, put } from "../../output.ts";
import { inSentences } from "../../words.ts";
import { describeCounts } from "./declared-counts.ts";

export const checkConfig: Command = {
  summary: "Checks a config file without a gateway, and says where it is wrong: file:line:column.",
  details: `Without FILE it checks what a start in this folder would read: the environment, and tollgate.yaml or the file that
TOLLGATE_CONFIG names. Variables that the file takes from the environment must be set.`,
  examples: ["config check", "config check tollgate.yaml"],
  operands: [{ name: "FILE", meaning: "the config file", isOptional: true }],
  options: {},
  async run({ json, operands }) {
    const { file, declared } = await read(operands[0]);
    const counts = { upstreams: declared.upstreams.length, models: declared.catalog.size, accounts: declared.accounts.length };
    const remarks = [...remarksOn(declared.catalog, Date.now()), ...remarksOnUpstreams(declared.upstreams)];
    if (json) {
      return put(asJson({ file: file ?? null, ...counts, unpriced_models: unpricedModels(declared.catalog, Date.now()), remarks }));
    }
    await put(printable(`${file ?? "The environment"} is fine: ${describeCounts(counts)}.\n${inSentences(remarks)}`));
  },
};

async function read(file: string | undefined): Promise<Pick<Awaited<ReturnType<typeof loadConfig>>, "file" | "declared">> {
  if (file === undefined) return loadConfig();
  return { file, declared: await readDeclared(resolve(file)) };
}
