import { readFileSync, writeFileSync } from "node:fs";
import { CommandFailed, type Command } from "../command.ts";
import { formatCount } from "../format-values.ts";
import type { Imported } from "../import/litellm/import-litellm.ts";
import { asJson, writeStdout } from "../output.ts";

export const importFromLiteLLM: Command = {
  summary: "Convert the config file of a LiteLLM proxy to a tollgate.yaml, and list unsupported settings.",
  details: `It makes no network calls. The new config is printed on stdout, or written to the file named by --out. Settings that are unsupported, or
converted with changes, are listed on stderr. See docs/migrating-from-litellm.md.`,
  examples: ["import litellm config.yaml", "import litellm config.yaml --out tollgate.yaml"],
  operands: [{ name: "FILE", meaning: "LiteLLM config file, with a model_list" }],
  options: { out: { value: "FILE", meaning: "output file; an existing file is not overwritten" } },
  async run({ json, options, operands }) {
    const [file, out] = [operands[0]!, options["out"]];
    // Loaded lazily: the other commands need no YAML parser.
    const { importLiteLLM } = await import("../import/litellm/import-litellm.ts");
    const imported = importLiteLLM(readText(file), file);
    if (imported.models === 0) {
      process.stderr.write(listUnsupported(imported));
      throw new CommandFailed(`${file} has no model that can be converted`);
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
    throw isSystemError(error) ? new CommandFailed(`${file} cannot be read: ${error.code}`) : error;
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

function listUnsupported({ unsupported }: Imported): string {
  if (unsupported.length === 0) return "";
  return `Unsupported, or converted with changes:\n${unsupported.map(({ place, field, why }) => `${place}: ${field}: ${why}\n`).join("")}`;
}

function describe({ config, unsupported, upstreams, models }: Imported): object {
  return { config, unsupported: unsupported, upstreams, models };
}
