import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { CommandFailed, type Command } from "../command.ts";
import { formatCount } from "../format/format-values.ts";
import type { ImportedConfig } from "../import/litellm/import-litellm.ts";
import { processEnvironment } from "../../config.ts";
import { fileProblem } from "../file-problem.ts";
import { asJson, terminalWidth, writeStdout } from "../output.ts";
import { formatWrapped } from "../format/table.ts";
import { TOLLGATE } from "../../lib/this-program.ts";

export const importFromLiteLLM: Command = {
  summary: "Convert the config file of a LiteLLM proxy to a tollgate.yaml, and list settings that were not converted.",
  details: `It makes no network calls. The new config is printed on stdout, or written to the file named by --out. Settings that were not converted,
or were converted with changes, are listed on stderr. See docs/migrating-from-litellm.md.`,
  examples: ["import litellm config.yaml", "import litellm config.yaml --out tollgate.yaml"],
  operands: [{ name: "FILE", meaning: "LiteLLM config file, with a model_list" }],
  options: { out: { value: "FILE", meaning: "output file; an existing file is not overwritten" } },
  async run({ json, options, operands }) {
    const [file, out] = [operands[0]!, options["out"]];
    // Loaded lazily: the other commands need no YAML parser.
    const { importLiteLLM } = await import("../import/litellm/import-litellm.ts");
    // The new file is shared and committed, so its comments must not contain folders of this machine.
    const imported = importLiteLLM(readText(file), basename(file), processEnvironment());
    if (imported.models > 0 && out !== undefined) writeNew(out, imported.config);
    // A program reads the reasons from stdout, like the config, even if no model was converted.
    if (json) await writeStdout(asJson(imported));
    else process.stderr.write(listUnsupported(imported));
    if (imported.models === 0) throw new CommandFailed(`${file} has no model that can be converted`);
    if (!json) await writeStdout(out === undefined ? imported.config : describeWritten(imported, out));
  },
};

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const problem = fileProblem(error);
    throw problem === undefined ? error : new CommandFailed(`${file} ${problem}`);
  }
}

/** `wx`: an existing file may have been edited by hand. */
function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: "wx" });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new CommandFailed(
      error.code === "EEXIST" ? `${file} already exists: nothing was written` : `${file} cannot be written: ${error.code}`,
    );
  }
}

function isSystemError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}

function describeWritten({ models, skipped, upstreams, variables }: ImportedConfig, out: string): string {
  const missing = skipped === 0 ? "" : `Skipped ${formatCount(skipped, "deployment")} of the model_list: the list above has the reasons.\n`;
  const next = variables.length === 0 ? "Validate it:" : `Set ${variables.join(", ")}, then validate it:`;
  return `Wrote ${formatCount(models, "model")} at ${formatCount(upstreams, "upstream")} to ${out}.\n${missing}${next} ${TOLLGATE} config check ${out}\n`;
}

/** Each setting with its reason below it, wrapped in a terminal. */
function listUnsupported({ unsupported }: ImportedConfig): string {
  if (unsupported.length === 0) return "";
  const settings = unsupported.map(({ place, field, why }) => `${place} ${field}\n${formatWrapped([[why]], terminalWidth(), "    ")}`);
  return `Settings that were not converted, or were converted with changes:\n\n${settings.join("")}\n`;
}
