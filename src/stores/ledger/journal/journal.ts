import { closeSync, fdatasyncSync, ftruncateSync, writeSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { CreditEntry, Entry } from "../../../money/ledger-entry.ts";
import type { ProcessChange } from "../leases/process-change.ts";
import type { Durability } from "../../database.ts";
import { toChangeFields, type ChangeFields } from "./journal-fields.ts";
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

/** The maximum number of UTF-8 bytes for one UTF-16 code unit. */
const MAX_UNIT_BYTES = 3;

/**
 * Write-ahead journal: entries become durable here first, because a database transaction, which has indexes to maintain, costs ten times as
 * much. 10 ms later they go to the database in one transaction, and the file is then overwritten from its beginning.
 *
 * The file is mapped into memory if that is safe. A store into the mapped file is in the system's page cache at once and survives a crash
 * of the process, like a write, but without a system call. As with SQLite's shared memory, truncating the file while the gateway runs ends
 * the process (SIGBUS). On copy-on-write file systems, and with durability `power`, the file is written with system calls instead.
 */
export class Journal {
  readonly path: string;
  /** Whether an append is so cheap that no entry has to wait for others: true without an fsync. */
  readonly isCheapPerEntry: boolean;
  readonly #waitsForDisk: boolean;
  readonly #isMapped: boolean;
  #fd = -1;
  /** The file, mapped or as a copy. Undefined before `begin` and after `close`. */
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

  /** Replaces the file. All entries of the previous process must be in the database. Throws if the disk is full. */
  begin(mark: Mark): void {
    this.#mark = mark;
    this.#fd = createJournal(this.path, mark);
    this.#bytes = this.#isMapped ? map(this.path) : Buffer.alloc(JOURNAL_BYTES);
  }

  /**
   * Appends the items from an index on as one group. They are durable when this returns true. Returns false if they do not fit, or if one
   * of them is a grant or an adjustment. Throws if the write fails; the items may still be in the file.
   */
  append(items: readonly (Entry | ProcessChange)[], from = 0): boolean {
    if (!this.#bytes) return false;
    const group: ChangeFields[] = [];
    for (let at = from; at < items.length; at++) {
      const item = items[at]!;
      if (isCredit(item)) return false;
      group.push(toChangeFields(item));
    }
    const text = JSON.stringify(group);
    if (this.#end + 2 * GROUP_HEAD_BYTES + text.length * MAX_UNIT_BYTES > JOURNAL_BYTES) return false;
    this.#end = this.#putGroup(this.#bytes, this.#end, text);
    return true;
  }

  /** Writes a group at an offset, and returns the next offset. A zero after the group hides old groups from before the last `clear`. */
  #putGroup(bytes: Buffer, at: number, text: string): number {
    bytes.writeUInt32LE(0, at);
    const length = bytes.write(text, at + GROUP_HEAD_BYTES);
    const end = afterGroup(at, length);
    bytes.writeUInt32LE(0, end);
    // The CRC-32 of the string equals the CRC-32 of its bytes in UTF-8.
    bytes.writeUInt32LE(Bun.hash.crc32(text), at + 4);
    if (!this.#isMapped) writeWhole(this.#fd, bytes, at, end + 4 - at);
    bytes.writeUInt32LE(toGroupWord(length), at);
    if (!this.#isMapped) writeWhole(this.#fd, bytes, at, 4);
    if (this.#waitsForDisk) fdatasyncSync(this.#fd);
    return end;
  }

  /** Clears the journal: all of its entries are in the database, which is complete up to this entry. */
  clear(entryId: number): void {
    this.#end = HEADER_BYTES;
    this.#putMark({ entryId, changeId: this.#mark.changeId });
  }

  /** Raises the high-water mark of the audit log to this change. */
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
      // Ignored: the previous mark is still valid, and the next commit writes another one.
    }
  }

  /** Closes the file. If all entries are in the database, only the header remains, marked as cleanly closed. */
  close(): void {
    if (!this.#bytes) return;
    // Set before truncating: a store beyond the truncated end of a mapped file would end the process.
    this.#bytes = undefined;
    if (this.#end === HEADER_BYTES) {
      const { bytes, at } = closedState();
      writeSync(this.#fd, bytes, 0, bytes.length, at);
      ftruncateSync(this.#fd, HEADER_BYTES);
    }
    closeSync(this.#fd);
  }
}

function isCredit(item: Entry | ProcessChange): item is CreditEntry {
  return item.kind === "grant" || item.kind === "adjustment";
}

function map(path: string): Buffer {
  const { buffer, byteOffset, byteLength } = Bun.mmap(path, { shared: true, size: JOURNAL_BYTES });
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** From <linux/magic.h>: ext2 to ext4, XFS, tmpfs. */
const IN_PLACE = new Set([0xef53, 0x58465342, 0x01021994]);

/**
 * Whether the file system of a folder overwrites blocks in place, so that a store into a mapped file needs no new block. On copy-on-write
 * file systems (btrfs, ZFS, an overlay over one of them) it needs one, and a full disk would end the process with SIGBUS.
 */
function overwritesInPlace(folder: string): boolean {
  return IN_PLACE.has(statfsSync(folder).type);
}
