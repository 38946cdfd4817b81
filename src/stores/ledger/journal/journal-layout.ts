/**
 * The file format of the write-ahead journal, version 2. Numbers are little-endian.
 *
 * | byte | content |
 * |---|---|
 * | 0 | "TGLJ", the version, the boot that it was created in, and the CRC-32 of these 12 bytes |
 * | 16 | whether the file is open or was closed cleanly |
 * | 24, 48 | two high-water marks: last entry and last change in the database (8 bytes each), and the CRC-32 of these 16 bytes |
 * | 72 | groups of entries: `GROUP` and the length, the CRC-32 of the text, the text, padded to 8 bytes. A zero ends them |
 *
 * The process may be killed between any two stores. So the marks are written alternately, and the length of a group is written last: a
 * nonzero length means that the group is complete. Anything else is damage.
 */
export const JOURNAL_BYTES = 256 * 1024;
export const HEADER_BYTES = 72;
/** The bytes before the text of each group: its length and its checksum. */
export const GROUP_HEAD_BYTES = 8;

/** "TGLJ". */
const MAGIC = 0x4a4c4754;
const VERSION = 2;
const STATE_AT = 16;
const MARKS_AT = [24, 48] as const;
export const MARK_BYTES = 24;
const OPEN = 0x6e65706f;
const CLOSED = 0x736f6c63;
/** The highest byte of each length, so that one flipped bit cannot turn a length into the zero that ends the groups. */
const GROUP = 0xa5;

/** High-water mark: the last ledger entry and the last audit log change that are known to be in the database. */
export interface Mark {
  readonly entryId: number;
  readonly changeId: number;
}

/** The content of the header. */
export interface JournalHeader {
  readonly bootId: number;
  readonly isClosed: boolean;
  readonly mark: Mark;
}

export function writeHeader(bytes: Buffer, bootId: number, mark: Mark): void {
  bytes.writeUInt32LE(MAGIC, 0);
  bytes.writeUInt32LE(VERSION, 4);
  bytes.writeUInt32LE(bootId, 8);
  bytes.writeUInt32LE(Bun.hash.crc32(bytes.subarray(0, 12)), 12);
  bytes.writeUInt32LE(OPEN, STATE_AT);
  for (const turn of [0, 1]) writeMark(bytes, turn, mark);
}

/** Writes one of the two marks, by the parity of `turn`, and returns its offset. */
export function writeMark(bytes: Buffer, turn: number, { entryId, changeId }: Mark): number {
  const at = MARKS_AT[turn & 1]!;
  bytes.writeDoubleLE(entryId, at);
  bytes.writeDoubleLE(changeId, at + 8);
  bytes.writeUInt32LE(Bun.hash.crc32(bytes.subarray(at, at + 16)), at + 16);
  return at;
}

/** The state of a cleanly closed file, and its offset. */
export function closedState(): { bytes: Buffer; at: number } {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(CLOSED);
  return { bytes, at: STATE_AT };
}

/** The version in an intact header, if it is newer than this one. Every later format keeps the first 16 bytes. */
export function newerVersionOf(file: Buffer): number | undefined {
  if (file.length < HEADER_BYTES || file.readUInt32LE(12) !== Bun.hash.crc32(file.subarray(0, 12))) return undefined;
  const version = file.readUInt32LE(4);
  return file.readUInt32LE(0) === MAGIC && version > VERSION ? version : undefined;
}

/** Undefined if the header is damaged. */
export function readHeader(file: Buffer): JournalHeader | undefined {
  if (file.length < HEADER_BYTES || file.readUInt32LE(12) !== Bun.hash.crc32(file.subarray(0, 12))) return undefined;
  if (file.readUInt32LE(0) !== MAGIC || file.readUInt32LE(4) !== VERSION) return undefined;
  const state = file.readUInt32LE(STATE_AT);
  // The process may have been killed while it wrote one mark; the other mark is from the previous commit.
  const marks = MARKS_AT.flatMap((at) => readMark(file, at));
  if (marks.length === 0 || (state !== OPEN && state !== CLOSED)) return undefined;
  const mark = { entryId: Math.max(...marks.map((each) => each.entryId)), changeId: Math.max(...marks.map((each) => each.changeId)) };
  return { bootId: file.readUInt32LE(8), isClosed: state === CLOSED, mark };
}

function readMark(file: Buffer, at: number): Mark[] {
  if (file.readUInt32LE(at + 16) !== Bun.hash.crc32(file.subarray(at, at + 16))) return [];
  return [{ entryId: file.readDoubleLE(at), changeId: file.readDoubleLE(at + 8) }];
}

export function toGroupWord(length: number): number {
  return ((GROUP << 24) | length) >>> 0;
}

/** The length in the first word of a group. Undefined if the word is invalid. */
export function lengthInWord(word: number): number | undefined {
  return word >>> 24 === GROUP ? word & 0xffffff : undefined;
}

/** The offset of the next group. Aligned to 8 bytes, so that no word crosses a page boundary: the system writes pages as a whole. */
export function afterGroup(at: number, length: number): number {
  return (at + GROUP_HEAD_BYTES + length + 7) & ~7;
}
