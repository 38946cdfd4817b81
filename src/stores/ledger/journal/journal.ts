import { closeSync, fdatasyncSync, ftruncateSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Entry } from "../../../money/ledger-entry.ts";
import type { Durability } from "../../database.ts";
import { isOfRequest, toFields, type Fields } from "./journal-fields.ts";
import { createJournal, writeWhole } from "./create-journal.ts";
import {
  afterGroup,
  closedState,
  GROUP_HEAD_BYTES,
  HEADER_BYTES,
  JOURNAL_BYTES,
  MARK_BYTES,
  toGroupWord,
  writeMark,
  type Mark,
} from "./journal-layout.ts";
import { overwritesInPlace } from "./in-place-file-system.ts";

/** The most that UTF-8 takes for one unit of a string. */
const MAX_UNIT_BYTES = 3;

/**
 * A file to which entries go first: a transaction of the database, which has indexes to keep, costs ten times as much. What is here is
 * durable, and a moment later it is written to the database, much of it at once. Then the file is written from its beginning again.
 *
 * It is mapped into memory where that is safe. A store there is in the system's page cache at once and outlives the process as a write
 * does, without a system call. As with SQLite's shared memory, truncating the file while the gateway runs ends the process.
 * On file systems that allocate new blocks for each write, and where the disk has to be waited for, it is written instead.
 */
export class Journal {
  readonly path: string;
  /** Whether to take an entry costs so little that none has to wait for others to go with it. */
  readonly isCheapPerEntry: boolean;
  readonly #waitsForDisk: boolean;
  readonly #isMapped: boolean;
  #fd = -1;
  /** The file, mapped or as a copy. Undefined before the beginning and after the end. */
  #bytes: Buffer | undefined;
  #end = HEADER_BYTES;
  #mark: Mark = { entryId: 0, changeId: 0 };
  #marks = 0;

  constructor(path: string, durability: Durability) {
    this.path = path;
    this.#waitsForDisk = durability === "power";
    this.isCheapPerEntry = !this.#waitsForDisk;
    this.#isMapped = !this.#waitsForDisk && overwritesInPlace(dirname(path));
  }

  /** Replaces the file, when everything that a process before this one left in it is in the database. Throws where the disk is full. */
  begin(mark: Mark): void {
    this.#mark = mark;
    this.#fd = createJournal(this.path, mark);
    this.#bytes = this.#isMapped ? map(this.path) : Buffer.alloc(JOURNAL_BYTES);
  }

  /**
   * Adds those of the entries from one on as a group, which follows those before. False where it has no place for them. Throws where
   * they are not durable, and may be there all the same.
   */
  append(entries: readonly Entry[], from = 0): boolean {
    if (!this.#bytes) return false;
    const group: Fields[] = [];
    for (let at = from; at < entries.length; at++) {
      const entry = entries[at]!;
      if (!isOfRequest(entry)) return false;
      group.push(toFields(entry));
    }
    const text = JSON.stringify(group);
    if (this.#end + 2 * GROUP_HEAD_BYTES + text.length * MAX_UNIT_BYTES > JOURNAL_BYTES) return false;
    this.#end = this.#putGroup(this.#bytes, this.#end, text);
    return true;
  }

  /** Puts a group at a place, and returns where the next one goes. Behind it is a zero: a group of an earlier round must not follow it. */
  #putGroup(bytes: Buffer, at: number, text: string): number {
    bytes.writeUInt32LE(0, at);
    const length = bytes.write(text, at + GROUP_HEAD_BYTES);
    const end = afterGroup(at, length);
    bytes.writeUInt32LE(0, end);
    // Of its bytes in UTF-8, which are the same.
    bytes.writeUInt32LE(Bun.hash.crc32(text), at + 4);
    if (!this.#isMapped) writeWhole(this.#fd, bytes, at, end + 4 - at);
    bytes.writeUInt32LE(toGroupWord(length), at);
    if (!this.#isMapped) writeWhole(this.#fd, bytes, at, 4);
    if (this.#waitsForDisk) fdatasyncSync(this.#fd);
    return end;
  }

  /** All that is here is in the database, which is complete up to this entry. */
  clear(entryId: number): void {
    this.#end = HEADER_BYTES;
    this.#putMark({ entryId, changeId: this.#mark.changeId });
  }

  /** The audit log in the database is complete up to this change. */
  markChange(changeId: number): void {
    this.#putMark({ entryId: this.#mark.entryId, changeId });
  }

  #putMark(mark: Mark): void {
    this.#mark = mark;
    if (!this.#bytes) return;
    const at = writeMark(this.#bytes, ++this.#marks, mark);
    if (this.#isMapped) return;
    try {
      writeSync(this.#fd, this.#bytes, at, MARK_BYTES, at);
    } catch {
      // The mark from before is true as well, and the next one comes.
    }
  }

  /** Leaves the header alone, unless something in the file is not in the database. */
  close(): void {
    if (!this.#bytes) return;
    // Nobody may touch it any more: there is no file behind it.
    this.#bytes = undefined;
    if (this.#end === HEADER_BYTES) {
      const { bytes, at } = closedState();
      writeSync(this.#fd, bytes, 0, bytes.length, at);
      ftruncateSync(this.#fd, HEADER_BYTES);
    }
    closeSync(this.#fd);
  }
}

function map(path: string): Buffer {
  const { buffer, byteOffset, byteLength } = Bun.mmap(path, { shared: true, size: JOURNAL_BYTES });
  return Buffer.from(buffer, byteOffset, byteLength);
}
