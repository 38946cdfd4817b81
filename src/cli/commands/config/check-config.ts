import { resolve } from "node:path";
import { loadConfig, readDeclared } from "../../../config.ts";
import type { Command } from "../../command.ts";
import { asJson, put } from "../../output.ts";
import { inCount } from "../../words.ts";

export const checkConfig: Command = {
  summary: "Checks a config file without a gateway, and says where it is wrong: file:line:column.",
  details: `Without FILE it checks what a start in this folder would read: the environment, and tollgate.yaml or the file that
TOLLGATE_CONFIG names. Variables that the file takes from the environment must be set.`,
  examples: ["config check", "config check tollgate.yaml"],
  operands: [{ name: "FILE", meaning: "the config file", isOptional: true }],
  options: {},
  async run({ json, operands }) {
    const { file, declared } = await read(operands[0]);
    const [upstreams, models] = [declared.upstreams.length, declared.catalog.size];
    const words = `${file ?? "The environment"} is fine: ${inCount(upstreams, "upstream")}, ${inCount(models, "model")}.\n`;
    await put(json ? asJson({ file: file ?? null, upstreams, models }) : words);
  },
};

async function read(file: string | undefined): Promise<Pick<Awaited<ReturnType<typeof loadConfig>>, "file" | "declared">> {
  if (file === undefined) return loadConfig();
  return { file, declared: await readDeclared(resolve(file)) };
}
