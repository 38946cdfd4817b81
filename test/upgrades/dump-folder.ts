import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** Before the text of each group in a journal: its length and its checksum. */
const HEAD_BYTES = 8;

/** Writes a data folder as text: SQL for each database, the journal, and the other files as JSON. */
export function dumpFolder(data: string, to: string, more: object, hide: (text: string) => string): void {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  const journal = join(data, "ledger-journal");
  if (existsSync(journal)) dumpJournal(readFileSync(journal), to);
  writeFileSync(join(to, "tollgate.sql"), hide(dumpDatabase(join(data, "tollgate.db"))));
  const days = existsSync(join(data, "requests")) ? readdirSync(join(data, "requests")).filter((name) => name.endsWith(".db")) : [];
  for (const day of days) {
    mkdirSync(join(to, "requests"), { recursive: true });
    writeFileSync(join(to, "requests", day.replace(/db$/, "sql")), dumpDatabase(join(data, "requests", day)));
  }
  const others = readdirSync(data).filter((name) => !/^(tollgate\.db|lock|requests|ledger-journal)/.test(name));
  const files = Object.fromEntries(others.map((name) => [name, readFileSync(join(data, name), "utf8")]));
  writeFileSync(join(to, "folder.json"), `${JSON.stringify({ ...more, files }, null, 2)}\n`);
}

/** The tables with their rows, then the indexes and triggers, each as it was created. */
function dumpDatabase(path: string): string {
  const file = new Database(path, { readwrite: true });
  try {
    const created = file
      .query<{ type: string; name: string; sql: string }, []>(
        "select type, name, sql from sqlite_schema where sql is not null order by rowid",
      )
      .all();
    const tables = created.filter(({ type }) => type === "table");
    const others = created.filter(({ type }) => type !== "table");
    const lines = [...tables.flatMap(({ name, sql }) => [`${sql};`, ...dumpRows(file, name)]), ...others.map(({ sql }) => `${sql};`)];
    return `${lines.join("\n")}\n`;
  } finally {
    file.close();
  }
}

function dumpRows(file: Database, table: string): string[] {
  const columns = file.query<{ name: string }, []>(`select name from pragma_table_info('${table}')`).all();
  const values = columns.map(({ name }) => `quote("${name}")`).join(" || ', ' || ");
  const rows = file.query<{ text: string }, []>(`select ${values} as text from "${table}"`).all();
  return rows.map(({ text }) => `insert into "${table}" values (${text});`);
}

/** Version 2 begins with "TGLJ" and is kept as it is, compressed. Version 1 has groups of JSON only. */
function dumpJournal(file: Buffer, to: string): void {
  if (file.toString("latin1", 0, 4) !== "TGLJ") writeFileSync(join(to, "ledger-journal.txt"), groupsOf(file));
  else writeFileSync(join(to, "ledger-journal.gz.base64"), `${gzipSync(file).toString("base64")}\n`);
}

function groupsOf(file: Buffer): string {
  let text = "";
  for (let at = 0; at + HEAD_BYTES < file.length;) {
    const length = file.readUInt32LE(at);
    const group = file.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length);
    if (length === 0 || group.length < length || Bun.hash.crc32(group) !== file.readUInt32LE(at + 4)) break;
    text += `${group.toString()}\n`;
    at += HEAD_BYTES + length;
  }
  return text;
}
