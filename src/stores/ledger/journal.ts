import { closeSync, constants, existsSync, fdatasyncSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import type { Entry } from "../../vocabulary/ledger-entry.ts";
import type { Durability } from "../database.ts";
import { fromFields, isOfRequest, toFields, type Fields, type JournalEntry } from "./journal-fields.ts";

/** Before the text of each group: how many bytes it has, and their checksum. */
const HEAD_BYTES = 8;
const FIRST_BYTES = 64 * 1024;

/**
 * A file to which entries go first, all that came up in one turn by one write: a transaction of the database, which has indexes to
 * keep, costs ten times as much. What is here is durable, and a moment later it is written to the database, much of it at once. Then
 * the file begins anew, over what it has: groups follow each other by their ids, so that those of the round before end it.
 */
export class Journal {
  readonly path: string;
  readonly #fd: number;
  readonly #waitsForDisk: boolean;
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #end = 0;

  /** Opens the file, made on first use for its owner alone. */
  constructor(path: string, durability: Durability) {
    this.path = path;
    // Not to append: that would put everything at the end, wherever it is meant to go.
    this.#fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    this.#waitsForDisk = durability === "power";
  }

  /**
   * Adds a group of entries, which follow those before. False where it has no place for one of them. Throws where they are not
   * durable, and may be there all the same.
   */
  take(entries: readonly Entry[]): boolean {
    if (!entries.every(isOfRequest)) return false;
    const text = JSON.stringify(entries.map(toFields));
    const length = this.#put(text);
    const written = writeSync(this.#fd, this.#buffer, 0, length, this.#end);
    if (written < length) throw new Error(`the journal took ${written} of ${length} bytes`);
    if (this.#waitsForDisk) fdatasyncSync(this.#fd);
    this.#end += length;
    return true;
  }

  /** All that is here is in the database. */
  clear(): void {
    this.#end = 0;
  }

  /** What the database has need not lie about: it would be taken for the end of an older one that somebody puts in its place. */
  close(): void {
    if (this.#end === 0) ftruncateSync(this.#fd);
    closeSync(this.#fd);
  }

  /** Puts a group into the buffer. Gives how many bytes it has. */
  #put(text: string): number {
    const most = HEAD_BYTES + text.length * 3;
    if (this.#buffer.length < most) this.#buffer = Buffer.allocUnsafe(most);
    const bytes = this.#buffer.write(text, HEAD_BYTES);
    this.#buffer.writeUInt32LE(bytes, 0);
    this.#buffer.writeUInt32LE(Bun.hash.crc32(this.#buffer.subarray(HEAD_BYTES, HEAD_BYTES + bytes)), 4);
    return HEAD_BYTES + bytes;
  }
}

/**
 * The entries behind an id that a process has left in its journal. None where they do not follow it: the database is then an older
 * one, by a loss of power or from a backup, and what was between them is lost.
 */
export function leftInJournal(path: string, afterId: number): JournalEntry[] {
  if (!existsSync(path)) return [];
  const following = [...groupsIn(readFileSync(path))].flat().filter(({ id }) => id > afterId);
  return following[0]?.id === afterId + 1 ? following : [];
}

/** The groups from the beginning on, until one does not follow. One that was cut by a crash was not yet told to anybody. */
function* groupsIn(file: Buffer): Generator<JournalEntry[]> {
  let nextId: number | undefined;
  for (let at = 0; at + HEAD_BYTES < file.length;) {
    const length = file.readUInt32LE(at);
    const text = file.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length);
    if (text.length < length || length === 0 || Bun.hash.crc32(text) !== file.readUInt32LE(at + 4)) return;
    const entries = (JSON.parse(text.toString()) as Fields[]).map(fromFields);
    if (nextId !== undefined && entries[0]!.id !== nextId) return;
    yield entries;
    nextId = entries.at(-1)!.id + 1;
    at += HEAD_BYTES + length;
  }
}
