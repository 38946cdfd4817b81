import { existsSync } from "node:fs";
import { DayReader } from "./day-reader.ts";
import type { LogFolder } from "./log-folder.ts";

/** A month, so that who looks at all of it again and again does not open it each time: that takes longer than the reading. */
const MAX_OPEN = 32;
const IDLE_MS = 30_000;

interface OpenDay {
  readonly reader: DayReader;
  usedAt: number;
}

/** The days that are being read, so many files at once and no more. Whoever goes on reading asks again each turn: a day may be gone. */
export class DayReaderPool {
  readonly #folder: LogFolder;
  /** In the order in which they were last used. */
  readonly #open = new Map<string, OpenDay>();

  constructor(folder: LogFolder) {
    this.#folder = folder;
  }

  /** Undefined where there is no file of that day. */
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
