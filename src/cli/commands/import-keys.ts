import { rmSync, writeFileSync } from "node:fs";
import { TOLLGATE } from "../../lib/this-program.ts";
import { CommandFailed, UsageError, type Command } from "../command.ts";
import { formatCount, formatUsd } from "../format/format-values.ts";
import type { AppliedImport, ComparedPlan } from "../import/keys/apply-plan.ts";
import type { ImportPlan } from "../import/keys/import-plan.ts";
import { asJson, printable, writeStdout } from "../output.ts";
import { readSecretFile } from "../secret-file.ts";
import { readSecretInput } from "../secret-input.ts";

/** The maximum number of subjects that a note names in text; the JSON has all of them. */
const NAMED = 5;

const CONFIG_HINT = "Write the upstreams and models of its database to a config file: --out FILE\n";

export const importKeys: Command = {
  summary: "Import the keys, people and credit of LiteLLM, one-api or new-api: callers keep their keys.",
  details: `Without --apply nothing is changed: it shows what would be imported, and what cannot be. It can run again until you switch over: it then
takes over what has changed at the other gateway. The source is only read. The URL of a database has its password: pipe it in. See
docs/migrating-from-litellm.md and docs/migrating-from-one-api.md.`,
  examples: [
    "import keys --from - < database-url.txt",
    "import keys --from - --apply < database-url.txt",
    "import keys --from - --salt-key-file salt-key.txt --out tollgate.yaml < database-url.txt",
    "import keys --from one-api.db --out tollgate.yaml",
  ],
  operands: [],
  options: {
    from: {
      value: "SOURCE",
      meaning:
        "postgres://… or mysql://… of its database, or - to read it from stdin; its SQLite file; or a folder with a CSV file for each table",
      required: "name the database of the other gateway: --from -, which reads postgres://… from stdin, or --from FILE",
    },
    "salt-key-file": {
      value: "FILE",
      meaning: "file with LiteLLM's salt key, or - for stdin: the models in its database are converted, too",
    },
    apply: { meaning: "make the accounts, credit and keys" },
    out: {
      value: "FILE",
      meaning: "write the upstreams and models of its database to this config file, and their secrets to FILE.env",
    },
  },
  call: "POST /api/imports/keys",
  fillsIn: ["from", "source", "keys"],
  async run({ json, options }) {
    const plan = await readPlan(options["from"]!, options["salt-key-file"]);
    const isDryRun = options["apply"] === undefined;
    const { compared, notCompared } = await compare(plan, isDryRun);
    if (options["out"] !== undefined) writeConfig(compared ?? plan, options["out"], options["salt-key-file"] !== undefined);
    const result = isDryRun || !compared ? { notCompared } : { applied: await apply(compared) };
    const hint = plan.config && options["out"] === undefined ? CONFIG_HINT : "";
    await writeStdout(json ? asJson(describe(plan, result)) : printable(formatImport(plan, result) + hint));
  },
};

/** The result of a run. For a dry run, also why it could not be compared with the gateway. */
interface ImportResult {
  readonly applied?: AppliedImport;
  readonly notCompared?: string | undefined;
}

async function apply(compared: ComparedPlan): Promise<AppliedImport> {
  const { applyPlan } = await import("../import/keys/apply-plan.ts");
  return applyPlan(compared);
}

/** A dry run needs no running gateway: the gateway may be started later, with the config file of the plan. */
async function compare(plan: ImportPlan, isDryRun: boolean): Promise<{ compared?: ComparedPlan; notCompared?: string }> {
  const { comparePlan } = await import("../import/keys/apply-plan.ts");
  try {
    return { compared: await comparePlan(plan) };
  } catch (error) {
    if (!isDryRun || !(error instanceof CommandFailed)) throw error;
    return { notCompared: error.message };
  }
}

/** Loaded lazily: other commands need no database. */
async function readPlan(from: string, saltKeyFile: string | undefined): Promise<ImportPlan> {
  if (from === "-" && saltKeyFile === "-") throw new UsageError("--from and --salt-key-file cannot both be read from stdin");
  const { openSource } = await import("../import/keys/source-tables.ts");
  const { planLiteLLM, refuseEmpty } = await import("../import/keys/plan-litellm.ts");
  const { planOneApi } = await import("../import/keys/plan-one-api.ts");
  const saltKey = saltKeyFile === undefined ? undefined : readSecretFile(saltKeyFile, "--salt-key-file");
  const source = openSource(from === "-" ? await readSecretInput("the URL of the database") : from);
  try {
    const tokens = await source.read("tokens");
    if (tokens.length > 0 && saltKey !== undefined)
      throw new CommandFailed("a salt key is LiteLLM's, and the source is one-api or new-api");
    const plan = tokens.length > 0 ? await planOneApi(source, tokens, Date.now()) : await planLiteLLM(source, Date.now(), saltKey);
    refuseEmpty(plan);
    return plan;
  } finally {
    await source.close();
  }
}

/** `wx`: an existing file may have been edited by hand. */
function writeConfig({ config, from }: Pick<ImportPlan, "config" | "from">, out: string, hasSaltKey: boolean): void {
  if (!config && from === "litellm" && !hasSaltKey)
    throw new CommandFailed("the models of LiteLLM's database need its salt key: --salt-key-file FILE");
  if (!config) throw new CommandFailed("the source has no upstreams and models that can be converted");
  const secrets = `${out}.env`;
  try {
    writeFileSync(secrets, config.environment, { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw notWritten(secrets, error);
  }
  try {
    writeFileSync(out, config.yaml, { flag: "wx" });
  } catch (error) {
    // Both files or neither: otherwise the next run would fail because one of them exists.
    rmSync(secrets);
    throw notWritten(out, error);
  }
}

function notWritten(path: string, error: unknown): CommandFailed {
  return new CommandFailed(`${path} cannot be written: ${(error as { code?: string }).code ?? "unknown"}`, { cause: error });
}

function describe({ from, accounts, keys, report }: ImportPlan, { applied, notCompared }: ImportResult): object {
  return {
    from,
    is_dry_run: applied === undefined,
    accounts: accounts.length,
    keys: keys.length,
    applied: applied ?? null,
    not_compared: notCompared ?? null,
    notes: report.notes,
  };
}

/** The report as text, for people. */
export function formatImport({ from, accounts, keys, report }: ImportPlan, { applied, notCompared }: ImportResult): string {
  const notes = report.notes.map(({ why, count, subjects }) => {
    const more = count > NAMED ? `, and ${count - NAMED} more` : "";
    return `  ${why}\n      ${subjects.slice(0, NAMED).join(", ")}${more}\n`;
  });
  const found = `${formatCount(keys.length, "key")} of ${formatCount(accounts.length, "account")} at ${from}.\n`;
  const listed = notes.length === 0 ? "" : `\nNot imported, or changed:\n\n${notes.join("")}`;
  const unknown = notCompared === undefined ? "" : `\nAccount IDs were not compared with the gateway's IDs: ${notCompared}\n`;
  if (!applied) return `Dry run: nothing was changed. ${found}${listed}${unknown}\nImport them: ${TOLLGATE} import keys --from … --apply\n`;
  return `${found}Accounts: ${formatCounts(applied.accounts)}. Keys: ${formatCounts(applied.keys)}. Credit: ${formatUsd(applied.credit)}.\n${listed}`;
}

function formatCounts(of: Readonly<Record<string, number>>): string {
  const counted = Object.entries(of).filter(([, count]) => count > 0);
  return counted.map(([outcome, count]) => `${count} ${outcome}`).join(", ") || "none";
}
