import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Durability } from "../../database.ts";
import type { ProcessChange } from "../leases/process-change.ts";
import { Journal } from "./journal.ts";
import { readJournal } from "./read-journal.ts";

/** 16 MB: about 22,000 requests. The process stops admitting requests after 10 seconds without its authority. */
const MAX_SEGMENTS = 64;
const SEGMENT_NAME = /^segment-\d+$/;

interface Segment {
  readonly journal: Journal;
  /** The number of the last change in the segment. */
  lastSeq: number;
}

/**
 * The journal of a gateway process, which ships its changes to the authority. It is a ring of segments: the process writes one segment; the
 * others wait until the authority has applied their changes, and are then reused. It grows while the authority is away, up to a limit.
 */
export class ProcessJournal {
  readonly isCheapPerEntry: boolean;
  readonly #folder: string;
  readonly #durability: Durability;
  #segments: Segment[] = [];
  #active: Segment;
  #appliedSeq = 0;
  #forgottenSeq = 0;

  /** Starts a journal in an empty folder. Throws if the disk is full. */
  constructor(folder: string, durability: Durability) {
    this.#folder = folder;
    this.#durability = durability;
    this.#active = this.#addSegment();
    this.isCheapPerEntry = this.#active.journal.isCheapPerEntry;
  }

  /**
   * Appends the changes from an index on. They are durable when this returns true. Returns false if the journal is full, because the
   * authority has applied nothing for a long time. Throws if the write fails; the changes may still be in the journal.
   */
  append(changes: readonly ProcessChange[], from = 0): boolean {
    if (!this.#active.journal.append(changes, from) && !this.#appendToNext(changes, from)) return false;
    this.#active.lastSeq = changes.at(-1)!.id;
    return true;
  }

  /**
   * Marks the changes up to this number as applied by the authority. Applied changes after `forgottenSeq` are kept while there is space.
   */
  markApplied(seq: number, forgottenSeq: number = seq): void {
    this.#appliedSeq = seq;
    this.#forgottenSeq = forgottenSeq;
  }

  close(): void {
    for (const { journal } of this.#segments) journal.close();
  }

  #appendToNext(changes: readonly ProcessChange[], from: number): boolean {
    const next = this.#nextSegment();
    if (!next?.journal.append(changes, from)) return false;
    this.#active = next;
    return true;
  }

  /**
   * The segment that was written longest ago, if all of it is applied and need not be kept; otherwise a new segment, while there is space.
   */
  #nextSegment(): Segment | undefined {
    const oldest = this.#segments.reduce((a, b) => (b.lastSeq < a.lastSeq ? b : a));
    const isFull = this.#segments.length >= MAX_SEGMENTS;
    if (oldest !== this.#active && oldest.lastSeq <= (isFull ? this.#appliedSeq : this.#forgottenSeq)) {
      oldest.journal.clear(this.#appliedSeq);
      return oldest;
    }
    return isFull ? undefined : this.#addSegment();
  }

  #addSegment(): Segment {
    const journal = new Journal(join(this.#folder, `segment-${this.#segments.length + 1}`), this.#durability);
    journal.begin({ entryId: this.#appliedSeq, changeId: 0 });
    const segment = { journal, lastSeq: this.#appliedSeq };
    this.#segments.push(segment);
    return segment;
  }
}

/** A journal that cannot be applied: a segment is damaged or missing. */
export class JournalDamaged extends Error {
  override name = "JournalDamaged";
  readonly file: string;
  readonly problem: string;

  constructor(file: string, problem: string) {
    super(`${file}: ${problem}`);
    this.file = file;
    this.problem = problem;
  }
}

/** Whether a file in the folder of a process is a segment of its journal. */
export function isSegment(name: string): boolean {
  return SEGMENT_NAME.test(name);
}

/** The changes after a number in the journal that a process left behind. Throws `JournalDamaged` if a change is missing. */
export function readProcessJournal(folder: string, appliedSeq: number): readonly ProcessChange[] {
  const changes: ProcessChange[] = [];
  for (const name of readdirSync(folder).filter(isSegment)) {
    const { items, damage } = readJournal(join(folder, name));
    if (damage !== undefined) throw new JournalDamaged(join(folder, name), damage);
    changes.push(...items.filter(({ id }) => id > appliedSeq));
  }
  changes.sort((a, b) => a.id - b.id);
  for (const [index, { id }] of changes.entries()) {
    const expected = appliedSeq + index + 1;
    if (id !== expected) throw new JournalDamaged(folder, `changes ${expected} to ${id - 1} are missing`);
  }
  return changes;
}
