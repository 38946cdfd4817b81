import { readFileSync, writeFileSync } from "node:fs";
import { CommandFailed, type Command } from "../command.ts";
import { formatCount } from "../format-values.ts";
import type { Imported } from "../import/litellm/import-litellm.ts";
import { asJson, writeStdout } from "../output.ts";

export const importFromLiteLLM: Command = {
  summary: "Turns the config file of a LiteLLM proxy into a tollgate.yaml, and names what it could not carry.",
  details: `It calls nobody. The new config goes to the standard output, or to the file that --out names; what is not
carried, or not as it was, is named on the standard error. docs/migrating-from-litellm.md tells more.`,
  examples: ["import litellm config.yaml", "import litellm config.yaml --out tollgate.yaml"],
  operands: [{ name: "FILE", meaning: "LiteLLM's config file, the one with model_list in it" }],
  options: { out: { value: "FILE", meaning: "the file to write; one that is there is left alone" } },
  async run({ json, options, operands }) {
    const [file, out] = [operands[0]!, options["out"]];
    // Loaded only now: the other commands need not pay for a YAML parser.
    const { importLiteLLM } = await import("../import/litellm/import-litellm.ts");
    const imported = importLiteLLM(readText(file), file);
    if (imported.models === 0) {
      process.stderr.write(listUnsupported(imported));
      throw new CommandFailed(`${file} has no model that can be carried`);
    }
    if (out !== undefined) writeNew(out, imported.config);
    if (json) return writeStdout(asJson(describe(imported)));
    process.stderr.write(listUnsupported(imported));
    const count = `${formatCount(imported.models, "model")} at ${formatCount(imported.upstreams, "upstream")}`;
    await writeStdout(out === undefined ? imported.config : `Wrote ${count} to ${out}.\n`);
  },
};

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw isOfTheSystem(error) ? new CommandFailed(`${file} cannot be read: ${error.code}`) : error;
  }
}

/** `wx`: a file that is there may hold what somebody wrote by hand. */
function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: "wx" });
  } catch (error) {
    if (!isOfTheSystem(error)) throw error;
    throw new CommandFailed(
      error.code === "EEXIST" ? `${file} is there already: nothing was written` : `${file} cannot be written: ${error.code}`,
    );
  }
}

function isOfTheSystem(error: unknown): error is Error & { code: string } {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}

function listUnsupported({ unsupported }: Imported): string {
  if (unsupported.length === 0) return "";
  return `Not carried, or not as it was:\n${unsupported.map(({ place, field, why }) => `${place}: ${field}: ${why}\n`).join("")}`;
}

function describe({ config, unsupported, upstreams, models }: Imported): object {
  return { config, unsupported: unsupported, upstreams, models };
}
