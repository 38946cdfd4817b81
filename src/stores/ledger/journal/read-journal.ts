import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { usedByNewerVersion } from "../../cannot-migrate.ts";
import type { EntryOfRequest } from "../../../money/ledger-entry.ts";
import type { ProcessChange } from "../leases/process-change.ts";
import { fromChangeFields, type ChangeFields } from "./journal-fields.ts";
import { bootId, UNKNOWN_BOOT } from "./boot-id.ts";
import {
  afterGroup,
  GROUP_HEAD_BYTES,
  HEADER_BYTES,
  JOURNAL_BYTES,
  lengthInWord,
  newerVersionOf,
  readHeader,
  type JournalHeader,
  type Mark,
} from "./journal-layout.ts";

/** The content of a journal that a process left behind. */
export interface JournalContent {
  /** Also true if the file is missing. */
  readonly isEmpty: boolean;
  /** Undefined if the header is damaged. */
  readonly mark: Mark | undefined;
  /** In order and without gaps, up to the first damage. The journal of a process that has the database contains only entries. */
  readonly items: readonly ProcessChange[];
  /** The last entry that the file proves to have existed, by its mark or in an intact group, even after damage. */
  readonly knownEntryId: number;
  /** Whether the machine was, or may have been, rebooted since: a loss of power may have removed the last pages of the journal. */
  readonly isOfOtherBoot: boolean;
  /** The position and the kind of the damage. */
  readonly damage: string | undefined;
}

const NOTHING: JournalContent = { isEmpty: true, mark: undefined, items: [], knownEntryId: 0, isOfOtherBoot: false, damage: undefined };

/** Throws `CannotMigrate` for a newer version. */
export function readJournal(path: string): JournalContent {
  const file = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  if (file.length === 0) return NOTHING;
  const newerVersion = newerVersionOf(file);
  if (newerVersion !== undefined) throw usedByNewerVersion(dirname(path), `version ${newerVersion} of ledger-journal`);
  const header = readHeader(file);
  if (!header) return { ...NOTHING, isEmpty: false, damage: "its header is damaged" };
  return readContent(file, header);
}

function readContent(file: Buffer, { bootId: ownBootId, isClosed, mark }: JournalHeader): JournalContent {
  const isOfOtherBoot = ownBootId === UNKNOWN_BOOT || ownBootId !== bootId();
  const { items, damage, damagedAt } = readGroups(file);
  const idBehindDamage = damage === undefined ? 0 : lastIdBehind(file, damagedAt);
  const knownEntryId = Math.max(mark.entryId, items.at(-1)?.id ?? 0, idBehindDamage);
  const content = { isEmpty: false, mark, items, knownEntryId, isOfOtherBoot };
  // `close` writes the state and then truncates the file. A loss of power may have preserved only the truncation.
  const isWhole = file.length >= JOURNAL_BYTES || (file.length === HEADER_BYTES && (isClosed || isOfOtherBoot));
  if (!isWhole) {
    return { ...content, damage: `it ends at byte ${file.length} of ${JOURNAL_BYTES}` };
  }
  // The system writes pages in any order. Lost pages may be followed by old groups from before the last `clear`, which are in the database.
  // So this is not damage, and `knownEntryId` shows whether an entry is missing.
  return { ...content, damage: isOfOtherBoot ? undefined : damage };
}

interface ReportGroups {
  readonly items: ProcessChange[];
  readonly damage: string | undefined;
  readonly damagedAt: number;
}

function readGroups(file: Buffer): ReportGroups {
  const items: ProcessChange[] = [];
  for (let at = HEADER_BYTES; at + GROUP_HEAD_BYTES <= file.length;) {
    const word = file.readUInt32LE(at);
    if (word === 0) break;
    const group = readGroup(file, at);
    const last = items.at(-1);
    if (!group) return { items, damage: `the group at byte ${at} does not match its checksum`, damagedAt: at };
    const [first] = group.items;
    if (last && first!.id !== last.id + 1) {
      return { items, damage: `the group at byte ${at} begins with entry ${first!.id} behind entry ${last.id}`, damagedAt: at };
    }
    items.push(...group.items);
    at = group.end;
  }
  return { items, damage: undefined, damagedAt: 0 };
}

function readGroup(file: Buffer, at: number): { items: ProcessChange[]; end: number } | undefined {
  const length = lengthInWord(file.readUInt32LE(at));
  if (length === undefined || at + GROUP_HEAD_BYTES + length > file.length) return undefined;
  const text = file.subarray(at + GROUP_HEAD_BYTES, at + GROUP_HEAD_BYTES + length);
  if (Bun.hash.crc32(text) !== file.readUInt32LE(at + 4)) return undefined;
  return { items: toItems(text), end: afterGroup(at, length) };
}

/** The highest id in the intact groups after a damaged group, as far as the lengths lead to them. */
function lastIdBehind(file: Buffer, damagedAt: number): number {
  let lastId = 0;
  for (let at = damagedAt; at + GROUP_HEAD_BYTES <= file.length;) {
    const length = lengthInWord(file.readUInt32LE(at));
    if (length === undefined) break;
    lastId = Math.max(lastId, readGroup(file, at)?.items.at(-1)?.id ?? 0);
    at = afterGroup(at, length);
  }
  return lastId;
}

function toItems(text: Buffer): ProcessChange[] {
  return (JSON.parse(text.toString()) as ChangeFields[]).map(fromChangeFields);
}

/** The entries to replay into a database whose last entry has this id. Empty if there is a gap. */
export function entriesToReplay({ items }: Pick<JournalContent, "items">, lastId: number): readonly EntryOfRequest[] {
  const following = items.filter((item): item is EntryOfRequest => item.id > lastId && isEntry(item));
  return following[0]?.id === lastId + 1 ? following : [];
}

function isEntry({ kind }: ProcessChange): boolean {
  return kind === "hold" || kind === "settle" || kind === "release";
}
