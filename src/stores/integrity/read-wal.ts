import { existsSync, readFileSync } from "node:fs";

/**
 * SQLite's write-ahead log, as https://www.sqlite.org/fileformat2.html#the_write_ahead_log has it: a header, and frames of a page each.
 * A frame counts where it has the salts of the header and the checksum over everything before it. SQLite ignores all frames from the first
 * on that does not count, and says nothing.
 */
const HEADER_BYTES = 32;
const FRAME_HEAD_BYTES = 24;
const MAGIC = 0x377f0682;
const MIN_PAGE_BYTES = 512;
const MAX_PAGE_BYTES = 65_536;

/** What SQLite finds in the WAL, and what it would not find any more. */
export interface WalContent {
  /** Of a missing file too. */
  readonly isEmpty: boolean;
  /** The pages of the database with all commits that count; 0 without any. */
  readonly databasePages: number;
  /** The pages that those commits have written. */
  readonly pages: ReadonlySet<number>;
  /** Where it is damaged, and how. */
  readonly damage: string | undefined;
}

const NOTHING: WalContent = { isEmpty: true, databasePages: 0, pages: new Set(), damage: undefined };

export function readWal(path: string): WalContent {
  const file = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  if (file.length === 0) return NOTHING;
  const pageBytes = file.length < HEADER_BYTES ? 0 : file.readUInt32BE(8);
  const isLittleEndian = file.length >= HEADER_BYTES && (file.readUInt32BE(0) & 1) === 0;
  const checksum = new Checksum(isLittleEndian);
  if (!isHeader(file, pageBytes, checksum)) {
    // Without a byte in it nothing was recorded: a loss of power may leave a file like that.
    const isBlank = file.every((byte) => byte === 0);
    return { ...NOTHING, isEmpty: isBlank, damage: isBlank ? undefined : "its header is damaged" };
  }
  return readFrames(file, pageBytes, checksum);
}

function isHeader(file: Buffer, pageBytes: number, checksum: Checksum): boolean {
  if (file.length < HEADER_BYTES || (file.readUInt32BE(0) & ~1) >>> 0 !== MAGIC) return false;
  checksum.add(file, 0, 24);
  return checksum.isAt(file, 24) && pageBytes >= MIN_PAGE_BYTES && pageBytes <= MAX_PAGE_BYTES;
}

function readFrames(file: Buffer, pageBytes: number, checksum: Checksum): WalContent {
  const frameBytes = FRAME_HEAD_BYTES + pageBytes;
  const pages = new Set<number>();
  let uncommitted: number[] = [];
  let databasePages = 0;
  let at = HEADER_BYTES;
  for (; at + frameBytes <= file.length && isFrame(file, at, pageBytes, checksum); at += frameBytes) {
    uncommitted.push(file.readUInt32BE(at));
    const sizeAfterCommit = file.readUInt32BE(at + 4);
    if (sizeAfterCommit === 0) continue;
    for (const page of uncommitted) pages.add(page);
    uncommitted = [];
    databasePages = sizeAfterCommit;
  }
  return { isEmpty: false, databasePages, pages, damage: damageFrom(file, at, frameBytes) };
}

function isFrame(file: Buffer, at: number, pageBytes: number, checksum: Checksum): boolean {
  if (!hasSalts(file, at)) return false;
  checksum.add(file, at, 8);
  checksum.add(file, at + FRAME_HEAD_BYTES, pageBytes);
  return checksum.isAt(file, at + 16);
}

function hasSalts(file: Buffer, at: number): boolean {
  return file.readUInt32BE(at + 8) === file.readUInt32BE(16) && file.readUInt32BE(at + 12) === file.readUInt32BE(20);
}

/**
 * Behind the first frame that does not count there may be frames from before the log was begun again, of other salts, and those of a
 * transaction that was not committed. One commit there may be of that transaction: where it is larger than SQLite's cache, SQLite writes
 * its frames with checksums that it corrects behind the last of them (`walRewriteChecksums` in https://www.sqlite.org/src/file/src/wal.c),
 * and the process may be killed before. Whether that commit was confirmed, the journal's mark tells. With a second one the first was complete.
 */
function damageFrom(file: Buffer, damagedAt: number, frameBytes: number): string | undefined {
  let commits = 0;
  for (let at = damagedAt + frameBytes; at + FRAME_HEAD_BYTES <= file.length; at += frameBytes) {
    if (hasSalts(file, at) && file.readUInt32BE(at + 4) !== 0) commits++;
  }
  if (commits <= 1) return undefined;
  const frame = (damagedAt - HEADER_BYTES) / frameBytes + 1;
  return `frame ${frame}, at byte ${damagedAt}, does not match its checksum, and ${commits} commits follow it`;
}

/** The checksum of the WAL, cumulative over all that is added to it. */
class Checksum {
  readonly #isLittleEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(isLittleEndian: boolean) {
    this.#isLittleEndian = isLittleEndian;
  }

  add(file: Buffer, at: number, length: number): void {
    const words = this.#words(file, at, length);
    let first = this.#first;
    let second = this.#second;
    for (let word = 0; word < words.length; word += 2) {
      first = (first + words[word]! + second) | 0;
      second = (second + words[word + 1]! + first) | 0;
    }
    this.#first = first;
    this.#second = second;
  }

  isAt(file: Buffer, at: number): boolean {
    return file.readInt32BE(at) === this.#first && file.readInt32BE(at + 4) === this.#second;
  }

  /** Everything in the file is at a multiple of 8 bytes, but the buffer need not be. */
  #words(file: Buffer, at: number, length: number): Int32Array {
    const isAligned = (file.byteOffset + at) % 4 === 0;
    if (isAligned && this.#isLittleEndian) return new Int32Array(file.buffer, file.byteOffset + at, length / 4);
    const copy = Buffer.from(Uint8Array.from(file.subarray(at, at + length)).buffer);
    if (!this.#isLittleEndian) copy.swap32();
    return new Int32Array(copy.buffer, copy.byteOffset, length / 4);
  }
}
