import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

const FOLDERS = join(import.meta.dir, "folders");

/** The day of recordings that do not name theirs. */
const FIRST_RECORDED_ON = "2026-11-16";

/** Every recorded folder, oldest first. */
export const RECORDED: readonly string[] = readdirSync(FOLDERS).toSorted();

/** A data folder as an earlier version left it. */
export interface EarlierFolder {
  readonly path: string;
  /** The plaintext of the keys that worked. */
  readonly keys: readonly string[];
  /** How many requests its log has. */
  readonly loggedRequests: number;
  /** Some time after it was recorded, on the same day. */
  readonly nowMs: number;
}

/** Builds a data folder from its recording. */
export function buildFolder(name: string): EarlierFolder {
  const from = join(FOLDERS, name);
  const path = mkdtempSync(join(tmpdir(), "tollgate-upgrade-"));
  buildDatabase(join(path, "tollgate.db"), readFileSync(join(from, "tollgate.sql"), "utf8"));
  const days = existsSync(join(from, "requests")) ? readdirSync(join(from, "requests")) : [];
  if (days.length > 0) mkdirSync(join(path, "requests"));
  const texts = days.map((day) => [day.replace(/sql$/, "db"), readFileSync(join(from, "requests", day), "utf8")] as const);
  for (const [day, text] of texts) buildDatabase(join(path, "requests", day), text);
  const groups = join(from, "ledger-journal.txt");
  if (existsSync(groups)) writeFileSync(join(path, "ledger-journal"), buildJournal(readFileSync(groups, "utf8")));
  const compressed = join(from, "ledger-journal.gz.base64");
  if (existsSync(compressed))
    writeFileSync(join(path, "ledger-journal"), gunzipSync(Buffer.from(readFileSync(compressed, "utf8"), "base64")));
  const {
    secret,
    keys,
    files,
    recordedOn = FIRST_RECORDED_ON,
  } = JSON.parse(readFileSync(join(from, "folder.json"), "utf8")) as {
    secret: string;
    keys: string[];
    files: Record<string, string>;
    recordedOn?: string;
  };
  writeFileSync(join(path, "secret"), secret);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  const loggedRequests = texts.reduce((sum, [, text]) => sum + (text.match(/^insert into "requests"/gm)?.length ?? 0), 0);
  return { path, keys, loggedRequests, nowMs: Date.parse(`${recordedOn}T23:30:00Z`) };
}

function buildDatabase(path: string, sql: string): void {
  const file = new Database(path);
  file.run("pragma journal_mode = wal");
  file.transaction(() => file.run(sql))();
  file.close();
}

/** A group is its length, its checksum, and its text. */
function buildJournal(text: string): Buffer {
  const groups = text.split("\n").filter((line) => line !== "");
  return Buffer.concat(
    groups.flatMap((group) => {
      const bytes = Buffer.from(group);
      const head = Buffer.alloc(8);
      head.writeUInt32LE(bytes.length, 0);
      head.writeUInt32LE(Bun.hash.crc32(bytes), 4);
      return [head, bytes];
    }),
  );
}
