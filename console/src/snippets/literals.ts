/** What a terminal or an editor does not show as it is. Some of it turns the direction of writing: code can look like other code then (CVE-2021-42574). */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

/** Text as JSON and TypeScript read it. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(UNSEEN, (character) => character.split("").map(escapedUnit).join(""));
}

/** JSON that somebody else has written, with nothing out of sight. Such characters stand in its strings alone, but for those between its parts. */
export function inSight(json: string): string {
  return json.replaceAll(UNSEEN, (character) => (/[\t\n\r]/.test(character) ? character : character.split("").map(escapedUnit).join("")));
}

/** The same for Python, where a pair of escapes would stay two halves. */
export function pythonQuoted(text: string): string {
  return JSON.stringify(text).replaceAll(UNSEEN, (character) =>
    character.length === 1 ? escapedUnit(character) : `\\U${character.codePointAt(0)!.toString(16).padStart(8, "0")}`,
  );
}

function escapedUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** For a shell of the Bourne family: between single quotes nothing has a meaning. */
export function shellQuoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** How a language writes values. */
export interface Notation {
  readonly nothing: string;
  readonly yes: string;
  readonly no: string;
  readonly text: (text: string) => string;
  readonly key: (name: string) => string;
  /** After the last of several that stand below one another. */
  readonly lastComma: string;
  /** Between the braces and what is in them. */
  readonly padding: string;
  readonly step: string;
}

export const JSON_NOTATION: Notation = {
  nothing: "null",
  yes: "true",
  no: "false",
  text: quoted,
  key: quoted,
  lastComma: "",
  padding: " ",
  step: "  ",
};
export const TYPESCRIPT_NOTATION: Notation = { ...JSON_NOTATION, key: typescriptKey, lastComma: "," };

/** `__proto__` alone would set what the object inherits from. */
function typescriptKey(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoted(name);
}

const WIDTH = 80;

/** A value as code: in one line where it fits, else with each part in a line of its own. */
export function literal(value: unknown, notation: Notation, indent = ""): string {
  if (value === null || value === undefined) return notation.nothing;
  if (typeof value === "boolean") return value ? notation.yes : notation.no;
  if (typeof value === "string") return notation.text(value);
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${indent}${notation.step}`;
  if (Array.isArray(value)) {
    const parts = value.map((part: unknown) => literal(part, notation, inner));
    return bracketed("[", parts, "]", notation, indent);
  }
  return bracketed("{", fieldsOf(value, notation, inner), "}", notation, indent);
}

export function fieldsOf(value: object, notation: Notation, indent: string): string[] {
  return definedIn(value).map(([name, part]) => `${notation.key(name)}: ${literal(part, notation, indent)}`);
}

/** What JSON would leave out is left out. */
export function definedIn(value: object): [string, unknown][] {
  return Object.entries(value).filter((pair) => pair[1] !== undefined);
}

function bracketed(open: string, parts: readonly string[], close: string, notation: Notation, indent: string): string {
  const padding = open === "{" && parts.length > 0 ? notation.padding : "";
  const line = `${open}${padding}${parts.join(", ")}${padding}${close}`;
  if (!line.includes("\n") && indent.length + line.length <= WIDTH) return line;
  return `${open}${stacked(parts, notation, indent)}${close}`;
}

/** Each in a line of its own. */
export function stacked(parts: readonly string[], { lastComma, step }: Notation, indent = ""): string {
  return `\n${parts.map((part) => `${indent}${step}${part}`).join(",\n")}${lastComma}\n${indent}`;
}
