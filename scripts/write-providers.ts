/** Writes the tables of parameters and presets into docs/providers.md. A test fails while they and the code disagree. */
import { BILLED_PARAMETERS, type BilledParameter } from "../src/models/parameters/billed-parameters.ts";
import type { ParameterPolicy } from "../src/models/parameters/parameters.ts";
import type { Preset, Quirks } from "../src/models/preset.ts";
import { PRESET_IDS, presetOf } from "../src/models/presets.ts";

const FILE = new URL("../docs/providers.md", import.meta.url);
export const HEADING = "### Every parameter with a rule\n";

/** Everything below the heading. */
export function generatedTables(): string {
  return `${parameterTable()}\n## Every preset\n${presetTable()}`;
}

function parameterTable(): string {
  const rows = Object.entries(BILLED_PARAMETERS).map(([name, parameter]) => `| ${code(name)} | ${factsOf(parameter).join(" | ")} |\n`);
  return `\n| parameter | changes | by default | servers that read it, and what it does there |\n|---|---|---|---|\n${rows.join("")}`;
}

function factsOf({ servers, changes, handling, effect, instead, source }: BilledParameter): string[] {
  const rule = handling === "pass" ? "passed, and charged" : `rejected${instead === undefined ? "" : `: use ${code(instead)}`}`;
  return [changes, rule, `[${servers}](${source}): ${effect}`];
}

/** A row for each preset. */
function presetTable(): string {
  const rows = PRESET_IDS.map((id) => `| \`${id}\` | ${cellsOf(presetOf(id)).join(" | ")} |\n`);
  return `\n| preset | server | address | variable | what is done for it |\n|---|---|---|---|---|\n${rows.join("")}`;
}

function cellsOf(preset: Preset): string[] {
  const { name, baseUrl, dialect, variables = [], ownAddress, isLocal, isWithoutList, quirks = {} } = preset;
  const place = ownAddress ? ` with ${ownAddress.variables.map(code).join(" or ")}` : "";
  const variable = variables.length === 0 ? "none: declare it" : variables.map(code).join(" or ") + place;
  const notes = [
    ...(dialect === "openai" ? [] : [`its own format: the dialect ${code(dialect)}`]),
    ...wordsOf(quirks),
    ...(isWithoutList ? ["name its models yourself"] : []),
  ];
  return [name, code(baseUrl), isLocal ? "none: found by its port" : variable, notes.join("; ")];
}

function wordsOf(quirks: Quirks): string[] {
  const { credentialHeader, completionsPath, countsUnasked, parameters = {}, messageFields = {} } = quirks;
  return [
    ...(credentialHeader ? [`credential in ${code(credentialHeader)}`] : []),
    ...(completionsPath ? [`calls go to ${code(completionsPath)}`] : []),
    ...renamesIn(parameters),
    ...namesWith("refuse", parameters).map((names) => `refused: ${names}`),
    ...namesWith("drop", parameters).map((names) => `left out: ${names}`),
    ...(countsUnasked ? [`no ${code("stream_options")}`] : []),
    ...Object.entries(messageFields).map(([field, roles]) => `${code(field)} ${whereOf(roles)}`),
    ...(quirks.hasNoDeveloper ? [`${code("developer")} is ${code("system")}`] : []),
    ...(quirks.textInOnePiece ? ["text in parts is one string"] : []),
    ...(quirks.shortToolIds ? ["ids of tool calls have nine characters"] : []),
  ];
}

function renamesIn(parameters: ParameterPolicy): string[] {
  return Object.entries(parameters).flatMap(([name, handling]) =>
    typeof handling === "object" ? [`${code(name)} is ${code(handling.rename)}`] : [],
  );
}

function namesWith(handling: "refuse" | "drop", parameters: ParameterPolicy): string[] {
  const names = Object.keys(parameters).filter((name) => parameters[name] === handling);
  return names.length === 0 ? [] : [names.map(code).join(", ")];
}

function whereOf(roles: readonly string[]): string {
  return roles.length === 0 ? "in no message" : `only in messages of the role ${roles.map(code).join(" or ")}`;
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) {
  const [before] = (await Bun.file(FILE).text()).split(HEADING);
  await Bun.write(FILE, `${before}${HEADING}${generatedTables()}`);
}
