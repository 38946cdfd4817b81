import { resolve } from "node:path";
import type { ConfigFile, ReloadReport } from "../../../platform-client/types.ts";
import { ConfigError } from "../../config/config-error.ts";
import { cloudVariables, loadConfig, readDeclared, type Config } from "../../config.ts";
import {
  accountWarnings,
  catalogWarnings,
  identityWarnings,
  priceListWarnings,
  unsetWarnings,
  upstreamWarnings,
} from "../../config/warnings.ts";
import { unpricedModels } from "../../models/catalog.ts";
import { CommandFailed, type Command } from "../command.ts";
import { formatCount, formatSentences } from "../format/format-values.ts";
import { asJson, printable, writeStdout } from "../output.ts";
import { platformCommand } from "../platform-command.ts";

/** The number of resources that a config file declares. */
interface DeclaredCounts {
  readonly upstreams: number;
  readonly models: number;
  readonly price_lists: number;
  readonly accounts: number;
}

function describeCounts({ upstreams, models, price_lists: lists, accounts }: DeclaredCounts): string {
  const ofLists = lists > 0 ? `, ${formatCount(lists, "price list")}` : "";
  return `${formatCount(upstreams, "upstream")}, ${formatCount(models, "model")}${ofLists} and ${formatCount(accounts, "account")}`;
}

export const checkConfig: Command = {
  summary: "Validate a config file without a running gateway.",
  details: `All errors are reported at once, as file:line:column. Without FILE, it validates the configuration that a start in this folder would use: the
environment, and tollgate.yaml or the file named by TOLLGATE_CONFIG. Variables that the file refers to must be set. Files and profiles that identities name must be on this machine. With --without-secrets neither is
required, for a check without the secrets, such as in CI: what depends on a variable that is not set is not checked.`,
  examples: ["config check", "config check tollgate.yaml --without-secrets"],
  operands: [{ name: "FILE", meaning: "config file", isOptional: true }],
  options: { "without-secrets": { meaning: "accept missing variables, secrets and files of identities" } },
  async run({ json, operands, options }) {
    const withoutSecrets = options["without-secrets"] !== undefined;
    const { file, declared, cloudVariables: variables } = await readAll(operands[0], withoutSecrets);
    const { upstreams, catalog, priceLists, accounts } = declared;
    // Loaded lazily: the other commands need no identities.
    const { checkIdentityFiles } = await import("../../main/preflight/check-identity-files.ts");
    const problems = withoutSecrets ? [] : await checkIdentityFiles(upstreams, variables);
    if (problems.length > 0) throw new CommandFailed(`${file ?? "the environment"}: ${problems.join("; ")}`);
    const counts = { upstreams: upstreams.length, models: catalog.size, price_lists: priceLists.length, accounts: accounts.length };
    const warnings = [
      ...catalogWarnings(catalog, Date.now()),
      ...upstreamWarnings(upstreams),
      ...identityWarnings(upstreams, variables),
      ...priceListWarnings(priceLists, catalog, "the file"),
      ...accountWarnings(declared),
      ...unsetWarnings(declared),
    ];
    if (json) {
      return writeStdout(
        asJson({ file: file ?? null, ...counts, unpriced_models: unpricedModels(declared.catalog, Date.now()), warnings }),
      );
    }
    await writeStdout(printable(`${file ?? "The environment"} is valid: ${describeCounts(counts)}.\n${formatSentences(warnings)}`));
  },
};

/** One error per line. */
async function readAll(file: string | undefined, withoutSecrets: boolean): ReturnType<typeof read> {
  try {
    return await read(file, withoutSecrets);
  } catch (error) {
    if (error instanceof ConfigError && error.problems.length > 1) throw new ConfigError(error.problems.join("\n"), error.problems);
    throw error;
  }
}

async function read(file: string | undefined, withoutSecrets: boolean): Promise<Pick<Config, "file" | "declared" | "cloudVariables">> {
  if (file === undefined) return loadConfig(undefined, { withoutSecrets });
  return { file, declared: await readDeclared(resolve(file), undefined, withoutSecrets), cloudVariables: cloudVariables() };
}

type Targets = readonly { readonly kind: string; readonly id: string }[];

export const reloadConfig = platformCommand<ReloadReport>({
  summary: "Reload the gateway's config file and list the changes.",
  details:
    "An invalid file is rejected with its line and column, and the previous configuration stays in force. Streams are not interrupted.",
  examples: ["config reload"],
  call: "POST /api/config/reload",
  print({ file, changed, warnings, ...counts }) {
    const lines = [...linesOf("added", changed.added), ...linesOf("changed", changed.changed), ...changed.removed.map(lineOfRemoved)];
    const what = lines.length === 0 ? "No changes.\n" : lines.join("");
    return `${file} declares ${describeCounts(counts)}.\n${what}${formatSentences(warnings)}`;
  },
});

export const showConfig = platformCommand<ConfigFile>({
  summary: "Show what the gateway's config file declares, and what a reload would change.",
  details: "Nothing is changed. A file that a reload would reject is reported with its line and column, and the command fails.",
  examples: ["config show"],
  call: "GET /api/config",
  print({ file, loaded_at: loadedAt, declared, pending }) {
    if (file === null) return "Tollgate was started without a config file.\n";
    const resources = declared.map(({ kind, id }) => `  ${kind} ${id}\n`).join("");
    const lines = pending && [
      ...linesOf("would add", pending.added),
      ...linesOf("would change", pending.changed),
      ...linesOf("would remove", pending.removed),
    ];
    const changes = lines ? lines.join("") || "A reload would change nothing.\n" : "";
    return `${file}, loaded at ${loadedAt}, declares:\n${resources || "  nothing\n"}${changes}`;
  },
  verdict: ({ problem }) => (problem === null ? undefined : `a reload would reject the file: ${problem.replace(/\.$/, "")}`),
});

function linesOf(verb: string, targets: Targets): string[] {
  return targets.map(({ kind, id }) => `  ${verb} ${kind} ${id}\n`);
}

/** An account has credit and keys, so removing it from the file does not delete it. */
function lineOfRemoved({ kind, id }: Targets[number]): string {
  return kind === "account" ? `  no longer in the file: account ${id}, which is not deleted\n` : `  removed ${kind} ${id}\n`;
}
