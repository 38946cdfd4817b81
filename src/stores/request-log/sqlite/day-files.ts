import { existsSync } from "node:fs";
import { DayReader } from "../day-reader.ts";
import type { LogFolder } from "./log-folder.ts";

/** Enough for a month, so that repeated reads of a month do not open the files each time: opening takes longer than reading. */
const MAX_OPEN = 32;
const IDLE_MS = 30_000;

interface OpenDay {
  readonly reader: DayReader;
  usedAt: number;
}

/**
 * A pool of readers with a limit on open files, which closes the least recently used reader. Callers must get the reader again in each turn
 * of the event loop, because its file may be gone.
 */
export class DayReaderPool {
  readonly #folder: LogFolder;
  /** The most recently used is last. */
  readonly #open = new Map<string, OpenDay>();

  constructor(folder: LogFolder) {
    this.#folder = folder;
  }

  /** The reader of a day. Undefined if the day has no file. */
  reader(day: string): DayReader | undefined {
    const path = this.#folder.fileOf(day);
    if (!existsSync(path)) {
      this.close(day);
      return undefined;
    }
    const reader = this.#open.get(day)?.reader ?? new DayReader(path);
    this.#open.delete(day);
    this.#open.set(day, { reader, usedAt: performance.now() });
    if (this.#open.size > MAX_OPEN) this.close(this.#open.keys().next().value!);
    return reader;
  }

  close(day: string): void {
    this.#open.get(day)?.reader.close();
    this.#open.delete(day);
  }

  closeIdle(): void {
    for (const [day, { usedAt }] of this.#open) if (performance.now() - usedAt > IDLE_MS) this.close(day);
  }

  closeAll(): void {
    for (const day of this.#open.keys()) this.close(day);
  }
}
