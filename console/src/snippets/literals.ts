/** Characters that terminals and editors hide, among them bidirectional controls, which make code look like other code (CVE-2021-42574). */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

/** A JSON and TypeScript string literal. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(INVISIBLE, (character) => character.split("").map(escapedUnit).join(""));
}

/** Escapes invisible characters in JSON text that the console has not written, except for whitespace between tokens. */
export function escapeInvisible(json: string): string {
  return json.replaceAll(INVISIBLE, (character) =>
    /[\t\n\r]/.test(character) ? character : character.split("").map(escapedUnit).join(""),
  );
}

/** A Python string literal. A surrogate pair of \u escapes would be two characters in Python. */
export function pythonQuoted(text: string): string {
  return JSON.stringify(text).replaceAll(INVISIBLE, (character) =>
    character.length === 1 ? escapedUnit(character) : `\\U${character.codePointAt(0)!.toString(16).padStart(8, "0")}`,
  );
}

function escapedUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Quotes for POSIX shells: single quotes suspend all interpretation. */
export function shellQuoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The literal syntax of a language. */
export interface Notation {
  readonly nothing: string;
  readonly yes: string;
  readonly no: string;
  readonly text: (text: string) => string;
  readonly key: (name: string) => string;
  /** The trailing comma of multi-line lists. */
  readonly lastComma: string;
  /** The space inside braces on one line. */
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

/** A plain `__proto__` key would set the prototype. */
function typescriptKey(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoted(name);
}

const WIDTH = 80;

/** A value as code: on one line if it fits, otherwise one element per line. */
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

/** Entries without undefined values, which JSON omits too. */
export function definedIn(value: object): [string, unknown][] {
  return Object.entries(value).filter((pair) => pair[1] !== undefined);
}

function bracketed(open: string, parts: readonly string[], close: string, notation: Notation, indent: string): string {
  const padding = open === "{" && parts.length > 0 ? notation.padding : "";
  const line = `${open}${padding}${parts.join(", ")}${padding}${close}`;
  if (!line.includes("\n") && indent.length + line.length <= WIDTH) return line;
  return `${open}${stacked(parts, notation, indent)}${close}`;
}

/** One element per line. */
export function stacked(parts: readonly string[], { lastComma, step }: Notation, indent = ""): string {
  return `\n${parts.map((part) => `${indent}${step}${part}`).join(",\n")}${lastComma}\n${indent}`;
}
