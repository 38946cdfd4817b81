import { closeSync, openSync, readSync } from "node:fs";
import { sizeOf } from "./folder-files.ts";

/**
 * SQLite's write-ahead log (WAL), https://www.sqlite.org/fileformat2.html#the_write_ahead_log: a header, and frames of one page each. A
 * frame is valid if it has the salts of the header and the cumulative checksum. SQLite silently ignores the first invalid frame and all
 * later frames.
 */
const HEADER_BYTES = 32;
const FRAME_HEAD_BYTES = 24;
const MAGIC = 0x377f0682;
const MIN_PAGE_BYTES = 512;
const MAX_PAGE_BYTES = 65_536;

/** The part of the WAL that SQLite recovers, and the damage that SQLite would not report. */
export interface WalContent {
  /** Also true if the file is missing. */
  readonly isEmpty: boolean;
  /** The size of the database in pages after the last valid commit; 0 without one. */
  readonly databasePages: number;
  /** The pages that valid commits have written. */
  readonly pages: ReadonlySet<number>;
  /** The position and the kind of the damage. */
  readonly damage: string | undefined;
}

const NOTHING: WalContent = { isEmpty: true, databasePages: 0, pages: new Set(), damage: undefined };

/** Reads one frame at a time: a long-lived reader lets the WAL grow beyond the available memory. */
export function readWal(path: string): WalContent {
  if (sizeOf(path) === 0) return NOTHING;
  const fd = openSync(path, "r");
  try {
    return readOpened({ fd, bytes: sizeOf(path) });
  } finally {
    closeSync(fd);
  }
}

interface WalFile {
  readonly fd: number;
  readonly bytes: number;
}

function readOpened(file: WalFile): WalContent {
  const header = Buffer.alloc(HEADER_BYTES);
  readSync(file.fd, header, 0, HEADER_BYTES, 0);
  const checksum = new Checksum((header.readUInt32BE(0) & 1) === 0);
  if (isHeader(header, checksum)) return readFrames(file, header, checksum);
  // All zeros: nothing was recorded. Such a file can be left by a loss of power.
  const isEmpty = isBlank(file);
  return { ...NOTHING, isEmpty, damage: isEmpty ? undefined : "its header is damaged" };
}

function isHeader(header: Buffer, checksum: Checksum): boolean {
  if ((header.readUInt32BE(0) & ~1) >>> 0 !== MAGIC) return false;
  const pageBytes = header.readUInt32BE(8);
  checksum.add(header, 0, 24);
  return checksum.isAt(header, 24) && pageBytes >= MIN_PAGE_BYTES && pageBytes <= MAX_PAGE_BYTES;
}

function isBlank({ fd, bytes }: WalFile): boolean {
  const part = Buffer.alloc(MAX_PAGE_BYTES);
  for (let at = 0; at < bytes; at += part.length) {
    const length = readSync(fd, part, 0, part.length, at);
    if (part.subarray(0, length).some((byte) => byte !== 0)) return false;
  }
  return true;
}

function readFrames(file: WalFile, header: Buffer, checksum: Checksum): WalContent {
  const frame = Buffer.alloc(FRAME_HEAD_BYTES + header.readUInt32BE(8));
  const pages = new Set<number>();
  let uncommitted: number[] = [];
  let databasePages = 0;
  let at = HEADER_BYTES;
  for (; readSync(file.fd, frame, 0, frame.length, at) === frame.length && isFrame(frame, header, checksum); at += frame.length) {
    uncommitted.push(frame.readUInt32BE(0));
    const sizeAfterCommit = frame.readUInt32BE(4);
    if (sizeAfterCommit === 0) continue;
    for (const page of uncommitted) pages.add(page);
    uncommitted = [];
    databasePages = sizeAfterCommit;
  }
  return { isEmpty: false, databasePages, pages, damage: damageFrom(file, header, at, frame.length) };
}

function isFrame(frame: Buffer, header: Buffer, checksum: Checksum): boolean {
  if (!hasSalts(frame, header)) return false;
  checksum.add(frame, 0, 8);
  checksum.add(frame, FRAME_HEAD_BYTES, frame.length - FRAME_HEAD_BYTES);
  return checksum.isAt(frame, 16);
}

function hasSalts(frame: Buffer, header: Buffer): boolean {
  return frame.readUInt32BE(8) === header.readUInt32BE(16) && frame.readUInt32BE(12) === header.readUInt32BE(20);
}

/**
 * The first invalid frame may be followed by frames from before the WAL was restarted, with other salts, and by frames of an uncommitted
 * transaction. That transaction may include one commit frame: if it is larger than SQLite's cache, SQLite corrects the checksums after
 * writing all of its frames (`walRewriteChecksums` in https://www.sqlite.org/src/file/src/wal.c), and the process may be killed before
 * that. The journal's mark shows whether this commit was confirmed. A second commit frame proves that the first transaction was complete:
 * this is damage.
 */
function damageFrom({ fd, bytes }: WalFile, header: Buffer, damagedAt: number, frameBytes: number): string | undefined {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  let commits = 0;
  for (let at = damagedAt + frameBytes; at + FRAME_HEAD_BYTES <= bytes; at += frameBytes) {
    readSync(fd, head, 0, FRAME_HEAD_BYTES, at);
    if (hasSalts(head, header) && head.readUInt32BE(4) !== 0) commits++;
  }
  if (commits <= 1) return undefined;
  const frame = (damagedAt - HEADER_BYTES) / frameBytes + 1;
  return `frame ${frame}, at byte ${damagedAt}, does not match its checksum, and ${commits} commits follow it`;
}

/** The cumulative checksum of the WAL. */
class Checksum {
  readonly #isLittleEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(isLittleEndian: boolean) {
    this.#isLittleEndian = isLittleEndian;
  }

  add(bytes: Buffer, at: number, length: number): void {
    const words = this.#words(bytes, at, length);
    let first = this.#first;
    let second = this.#second;
    for (let word = 0; word < words.length; word += 2) {
      first = (first + words[word]! + second) | 0;
      second = (second + words[word + 1]! + first) | 0;
    }
    this.#first = first;
    this.#second = second;
  }

  isAt(bytes: Buffer, at: number): boolean {
    return bytes.readInt32BE(at) === this.#first && bytes.readInt32BE(at + 4) === this.#second;
  }

  #words(bytes: Buffer, at: number, length: number): Int32Array {
    const isAligned = (bytes.byteOffset + at) % 4 === 0;
    if (isAligned && this.#isLittleEndian) return new Int32Array(bytes.buffer, bytes.byteOffset + at, length / 4);
    const copy = Buffer.from(Uint8Array.from(bytes.subarray(at, at + length)).buffer);
    if (!this.#isLittleEndian) copy.swap32();
    return new Int32Array(copy.buffer, copy.byteOffset, length / 4);
  }
}
