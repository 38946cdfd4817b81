/** Writes the tables of parameters and presets into docs/providers.md. A test fails when they are out of date. */
import { BILLED_PARAMETERS, type BilledParameter } from "../src/models/parameters/billed-parameters.ts";
import type { ParameterPolicy } from "../src/models/parameters/parameter-policy.ts";
import type { Preset, Quirks } from "../src/models/preset.ts";
import { PRESET_IDS, presetOf } from "../src/models/presets.ts";

const FILE = new URL("../docs/providers.md", import.meta.url);
export const HEADING = "### Parameter rules\n";

/** Everything below the heading. */
export function generatedTables(): string {
  return `${parameterTable()}\n## Presets\n${presetTable()}`;
}

function parameterTable(): string {
  const rows = Object.entries(BILLED_PARAMETERS).map(([name, parameter]) => `| ${code(name)} | ${factsOf(parameter).join(" | ")} |\n`);
  return `\n| parameter | changes | default | servers that read it, and its effect there |\n|---|---|---|---|\n${rows.join("")}`;
}

function factsOf({ servers, changes, handling, effect, instead, soldBy, source }: BilledParameter): string[] {
  const alternative = instead === undefined ? "" : `: use ${code(instead)}`;
  const exception = soldBy === undefined ? "" : `, unless the price has ${code(soldBy)} for it`;
  const rule = handling === "pass" ? "passed and charged" : `rejected${alternative}${exception}`;
  return [changes, rule, `[${servers}](${source}): ${effect}`];
}

/** A row per preset. */
function presetTable(): string {
  const rows = PRESET_IDS.map((id) => `| \`${id}\` | ${cellsOf(presetOf(id)).join(" | ")} |\n`);
  return `\n| preset | server | base URL | variable | request adaptation |\n|---|---|---|---|---|\n${rows.join("")}`;
}

function cellsOf(preset: Preset): string[] {
  const { name, baseUrl, dialect, variables = [], customerUrl, isLocal, hasNoModelList, quirks = {} } = preset;
  const place = customerUrl ? ` with ${customerUrl.variables.map(code).join(" or ")}` : "";
  const variable = variables.length === 0 ? "none: declare it" : variables.map(code).join(" or ") + place;
  const notes = [
    ...(dialect === "openai" ? [] : [`translated: dialect ${code(dialect)}`]),
    ...describeQuirks(quirks),
    ...(hasNoModelList ? ["declare its models"] : []),
  ];
  return [name, code(baseUrl), isLocal ? "none: discovered by its port" : variable, notes.join("; ")];
}

type QuirkDescriptions = { readonly [Name in keyof Required<Quirks>]: (value: Required<Quirks>[Name]) => readonly string[] };

/** How the table describes each quirk. The type checker requires a description of each new quirk. */
const DESCRIPTIONS: QuirkDescriptions = {
  credentialHeader: (header) => [`credential in ${code(header)}`],
  completionsPath: (path) => [`calls ${code(path)}`],
  apiVersions: ({ default: version, patternInWords }) => [
    version === undefined ? `${code("api_version")} can be ${patternInWords}` : `${code("api_version")} is ${version} by default`,
  ],
  // This quirk does not change a request that a client sends.
  maxTokens: () => [],
  parameters: (policy) => [
    ...renamesIn(policy),
    ...namesWith("refuse", policy).map((names) => `rejected: ${names}`),
    ...namesWith("drop", policy).map((names) => `dropped: ${names}`),
  ],
  alwaysSendsUsage: () => [`no ${code("stream_options")}`],
  messageFields: (fields) => Object.entries(fields).map(([field, roles]) => `${code(field)} ${whereOf(roles)}`),
  lacksDeveloperRole: () => [`${code("developer")} → ${code("system")}`],
  needsJoinedText: () => ["text parts are joined to one string"],
  rawPredictVersion: () => [`calls ${code("/models/{model}:rawPredict")} or ${code(":streamRawPredict")}`],
  hasResponses: () => [`serves ${code("/responses")}, too: dialect ${code("responses")}`],
  maxEmbeddingInputs: (inputs) => [`embeddings: ${inputs} texts per request`],
  lacksEmbeddingTokens: () => ["embeddings: no tokens as input"],
  embeddingParameters: (policy) => [
    ...namesWith("refuse", policy).map((names) => `embeddings: ${names} rejected`),
    ...namesWith("drop", policy).map((names) => `embeddings: ${names} dropped`),
  ],
  shortToolIds: () => ["tool call IDs have nine characters"],
};

function describeQuirks(quirks: Quirks): string[] {
  return (Object.keys(DESCRIPTIONS) as (keyof Quirks)[]).flatMap((name) => describeQuirk(name, quirks[name]));
}

function describeQuirk<Name extends keyof Quirks>(name: Name, value: Required<Quirks>[Name] | undefined): readonly string[] {
  return value ? DESCRIPTIONS[name](value) : [];
}

function renamesIn(parameters: ParameterPolicy): string[] {
  return Object.entries(parameters).flatMap(([name, handling]) =>
    typeof handling === "object" ? [`${code(name)} → ${code(handling.rename)}`] : [],
  );
}

function namesWith(handling: "refuse" | "drop", parameters: ParameterPolicy): string[] {
  const names = Object.keys(parameters).filter((name) => parameters[name] === handling);
  return names.length === 0 ? [] : [names.map(code).join(", ")];
}

function whereOf(roles: readonly string[]): string {
  return roles.length === 0 ? "removed from messages" : `only in messages with the role ${roles.map(code).join(" or ")}`;
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) {
  const [before] = (await Bun.file(FILE).text()).split(HEADING);
  await Bun.write(FILE, `${before}${HEADING}${generatedTables()}`);
}
