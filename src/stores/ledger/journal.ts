import { closeSync, constants, existsSync, fdatasyncSync, ftruncateSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import type { Entry } from "../../vocabulary/ledger-entry.ts";
import type { Durability } from "../database.ts";
import { fromFields, isOfRequest, toFields, type Fields, type JournalEntry } from "./journal-fields.ts";

/** Many times what comes up between two transactions. */
const JOURNAL_BYTES = 256 * 1024;
/** Before the text of each group: how many bytes it has, and their checksum. */
const HEAD_BYTES = 8;
/** The most that UTF-8 takes for one unit of a string. */
const MAX_UNIT_BYTES = 3;

/**
 * A file to which entries go first: a transaction of the database, which has indexes to keep, costs ten times as much. What is here is
 * durable, and a moment later it is written to the database, much of it at once. Then the file begins anew, over what it has: groups
 * follow each other by their ids, so that those of the round before end it.
 *
 * It is mapped into memory. A store there is in the system's page cache at once and outlives the process as a write does, without a
 * call of the system. SQLite needs shared mappings in the same folder for its log, so this asks nothing new of the file system; and as
 * with SQLite's files, whoever cuts this one while the gateway runs ends the process, and so does a full disk under a file system that
 * writes no page in its place (btrfs, ZFS).
 */
export class Journal {
  readonly path: string;
  /** Whether to take an entry costs so little that none has to wait for others to go with it. */
  readonly takesEach: boolean;
  readonly #fd: number;
  readonly #waitsForDisk: boolean;
  /** Undefined where there is no room for it on the disk, until the next start; and at the end. */
  #bytes: Buffer | undefined;
  #end = 0;

  /** Opens the file, made on first use for its owner alone. What it has stays there. */
  constructor(path: string, durability: Durability) {
    this.path = path;
    // Not to append: that would put everything at the end, wherever it is meant to go.
    this.#fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    this.#waitsForDisk = durability === "power";
    this.#bytes = mapWhole(path, this.#fd);
    this.takesEach = !this.#waitsForDisk && this.#bytes !== undefined;
  }

  /**
   * Adds those of the entries from one on as a group, which follows those before. False where it has no place for them. Throws where
   * they are not durable, and may be there all the same.
   */
  take(entries: readonly Entry[], from = 0): boolean {
    if (!this.#bytes) return false;
    const group: Fields[] = [];
    for (let at = from; at < entries.length; at++) {
      const entry = entries[at]!;
      if (!isOfRequest(entry)) return false;
      group.push(toFields(entry));
    }
    const text = JSON.stringify(group);
    if (this.#end + HEAD_BYTES + text.length * MAX_UNIT_BYTES > this.#bytes.length) return false;
    const end = putGroup(this.#bytes, this.#end, text);
    if (this.#waitsForDisk) this.#waitForDisk(this.#bytes, end);
    this.#end = end;
    return true;
  }

  /** By a write, because POSIX promises of it alone that `fdatasync` waits for it, and not of a store into a mapping. */
  #waitForDisk(bytes: Buffer, end: number): void {
    const length = end - this.#end;
    const written = writeSync(this.#fd, bytes, this.#end, length, this.#end);
    if (written < length) throw new Error(`the journal took ${written} of ${length} bytes`);
    fdatasyncSync(this.#fd);
  }

  /** All that is here is in the database. */
  clear(): void {
    this.#end = 0;
  }

  /** What the database has need not lie about: it would be taken for the end of an older one that somebody puts in its place. */
  close(): void {
    // Nobody may touch it any more: there is no file behind it.
    this.#bytes = undefined;
    if (this.#end === 0) ftruncateSync(this.#fd);
    closeSync(this.#fd);
  }
}

/**
 * Its room on the disk is taken before it is mapped: a store for which there is none ends the process (SIGBUS). What is there is written
 * once more, because whoever restored it from a backup may have made a hole of its zeros. Undefined where that fails.
 */
function mapWhole(path: string, fd: number): Buffer | undefined {
  const whole = Buffer.alloc(JOURNAL_BYTES);
  try {
    readSync(fd, whole, 0, JOURNAL_BYTES, 0);
    if (writeSync(fd, whole, 0, JOURNAL_BYTES, 0) < JOURNAL_BYTES) return undefined;
    const { buffer, byteOffset, byteLength } = Bun.mmap(path, { shared: true, size: JOURNAL_BYTES });
    return Buffer.from(buffer, byteOffset, byteLength);
  } catch {
    return undefined;
  }
}

/**
 * Puts a group at a place. Gives where it ends. Nothing is left right behind it: a group of an earlier round could follow it by its
 * id, where the database was put back to an older one.
 */
function putGroup(bytes: Buffer, at: number, text: string): number {
  const length = bytes.write(text, at + HEAD_BYTES);
  if (at + HEAD_BYTES + length + HEAD_BYTES <= bytes.length) bytes.writeUInt32LE(0, at + HEAD_BYTES + length);
  bytes.writeUInt32LE(length, at);
  // Of its bytes in UTF-8, which are the same.
  bytes.writeUInt32LE(Bun.hash.crc32(text), at + 4);
  return at + HEAD_BYTES + length;
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
