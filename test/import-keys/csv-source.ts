import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Of } from "../../src/access/api-key.ts";
import { runTollgate } from "../support/gateway/run-tollgate.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";

/** The output of `import keys --json`. */
export interface ImportResult {
  readonly applied: { readonly accounts: object; readonly keys: Readonly<Record<string, number>>; readonly credit: string } | null;
  readonly notes: readonly { readonly why: string; readonly count: number; readonly subjects: readonly string[] }[];
}

export type CsvRow = Readonly<Record<string, string | number>>;

/** The plaintext of a key at the source. */
export function plaintextOf(name: string): string {
  return `sk-csv-0123456789abcdef-${name}`;
}

/** A row of a key, with its hash. */
export function keyRow(name: string, more: CsvRow = {}): CsvRow {
  return { token: sha256Of(plaintextOf(name)), key_alias: name, ...more };
}

function cell(value: string | number | undefined): string {
  return value === undefined ? "" : `"${String(value).replaceAll('"', '""')}"`;
}

/** LiteLLM's tables as files. Rows may have different columns. */
export class CsvSource {
  readonly folder: string;

  constructor(parent: string) {
    this.folder = mkdtempSync(join(parent, "csv-"));
  }

  write(table: string, rows: readonly CsvRow[]): void {
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const lines = [columns.join(","), ...rows.map((row) => columns.map((column) => cell(row[column])).join(","))];
    writeFileSync(join(this.folder, `${table}.csv`), rows.length === 0 ? "id\n" : `${lines.join("\n")}\n`);
  }

  async importInto(gateway: RunningGateway, ...more: readonly string[]): Promise<ImportResult> {
    const { code, stdout, stderr } = await runTollgate(gateway, ["import", "keys", "--from", this.folder, "--json", ...more]);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as ImportResult;
  }
}
