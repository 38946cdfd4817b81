import { resolve } from "node:path";
import type { ReloadReport } from "../../../platform-client/types.ts";
import { loadConfig, readDeclared } from "../../config.ts";
import { remarksOn, remarksOnUpstreams } from "../../config/remarks.ts";
import { unpricedModels } from "../../models/catalog.ts";
import type { Command } from "../command.ts";
import { formatCount, formatSentences } from "../format-values.ts";
import { asJson, printable, writeStdout } from "../output.ts";
import { platformCommand } from "../platform-command.ts";

/** How many of each a config file declares. */
export interface DeclaredCounts {
  readonly upstreams: number;
  readonly models: number;
  readonly accounts: number;
}

export function describeCounts({ upstreams, models, accounts }: DeclaredCounts): string {
  return `${formatCount(upstreams, "upstream")}, ${formatCount(models, "model")} and ${formatCount(accounts, "account")}`;
}

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
      return writeStdout(asJson({ file: file ?? null, ...counts, unpriced_models: unpricedModels(declared.catalog, Date.now()), remarks }));
    }
    await writeStdout(printable(`${file ?? "The environment"} is fine: ${describeCounts(counts)}.\n${formatSentences(remarks)}`));
  },
};

async function read(file: string | undefined): Promise<Pick<Awaited<ReturnType<typeof loadConfig>>, "file" | "declared">> {
  if (file === undefined) return loadConfig();
  return { file, declared: await readDeclared(resolve(file)) };
}

type Targets = readonly { readonly kind: string; readonly id: string }[];

export const reloadConfig = platformCommand<ReloadReport>({
  summary: "Has the gateway read its config file again, and says what has changed.",
  details: "A file with a mistake in it is refused, with its line and column, and what was in force stays. No stream is cut.",
  examples: ["config reload"],
  call: "POST /api/config/reload",
  print({ file, changed, remarks, ...counts }) {
    const lines = [...linesOf("added", changed.added), ...linesOf("changed", changed.changed), ...changed.removed.map(lineOfRemoved)];
    const what = lines.length === 0 ? "Nothing has changed.\n" : lines.join("");
    return `${file} declares ${describeCounts(counts)}.\n${what}${formatSentences(remarks)}`;
  },
});

function linesOf(verb: string, targets: Targets): string[] {
  return targets.map(({ kind, id }) => `  ${verb} ${kind} ${id}\n`);
}

/** An account has credit and keys, which do not end because a file forgets it. */
function lineOfRemoved({ kind, id }: Targets[number]): string {
  return kind === "account" ? `  no longer in the file: account ${id}, which stays as it is\n` : `  removed ${kind} ${id}\n`;
}
