/** Writes the rows of rate limits into the tables of docs/configuration.md. A test fails when they are out of date. */
import { RATE_LIMITS, WINDOW_LIMITS } from "../src/money/limits.ts";

const FILE = new URL("../docs/configuration.md", import.meta.url);

/** The limits by the field whose row they follow. */
const OBJECTS = {
  "models[].routes[].limits": WINDOW_LIMITS,
  "accounts[].limits": RATE_LIMITS,
  "accounts[].limits.per_user": RATE_LIMITS,
};

/** The document with the present rows. */
export function withLimits(document: string): string {
  return Object.entries(OBJECTS).reduce((text, [path, limits]) => {
    const rows = limits.map(({ name, label }) => `| \`${path}.${name}\` | ${label}. Default: no limit. |\n`);
    const at = RegExp.escape(path);
    const written = new RegExp(`(?<=^\\| \`${at}\` \\|.*\\n)(\\| \`${at}\\.(?!per_)\\w+\` \\|.*\\n)*`, "m");
    return text.replace(written, rows.join(""));
  }, document);
}

if (import.meta.main) await Bun.write(FILE, withLimits(await Bun.file(FILE).text()));
