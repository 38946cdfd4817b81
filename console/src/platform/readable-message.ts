/** A rejection by the platform: most messages start with the API name of the invalid field, such as `routes[0].model`. */
interface Refusal {
  readonly detail: string;
  readonly param: string | null;
}

/** The message with the label of the field instead of its API name, for people who see labels but not the API. */
export function readableMessage({ detail, param }: Refusal): string {
  const problem = problemAt(detail, param);
  return problem === undefined ? detail : capitalize(`${inWords(param!)} ${problem}`);
}

/** The message for display at a field, whose label names the field already. For a list or an object, also the message of any part of it. */
export function messageAt({ detail, param }: Refusal, field: string): string | undefined {
  if (param === null || !isWithin(param, field)) return undefined;
  const problem = problemAt(detail, param);
  if (problem === undefined) return detail;
  const part = inWords(param.slice(field.length).replace(/^\./, "")).replace(/^ /, "entry ");
  return capitalize(`${part} ${problem}`.trim());
}

function isWithin(param: string, field: string): boolean {
  return param === field || param.startsWith(`${field}.`) || param.startsWith(`${field}[`);
}

function problemAt(detail: string, param: string | null): string | undefined {
  if (param === null || !detail.startsWith(`${param} `)) return undefined;
  return withLabels(detail.slice(param.length + 1).replaceAll("`", "")).replaceAll(/\bbase_url\b/g, "base URL");
}

/** Replaces the API names of the settings in a message with their labels. */
export function withLabels(text: string): string {
  return text.replaceAll("allow_private: true", "“Allow private network addresses”");
}

/** `routes[0].base_url` as "routes 1, base URL". A dot before a digit is part of a name: `gpt-4.1`. */
function inWords(path: string): string {
  return path
    .replaceAll(/\[(\d+)\]/g, (_, at: string) => ` ${Number(at) + 1}`)
    .replaceAll(/\.(?=[a-z])/g, ", ")
    .replaceAll("_", " ")
    .replaceAll(/\b(?:id|url)\b/g, (short) => short.toUpperCase());
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
