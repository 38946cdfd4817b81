import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * A day file, a quarantined day file, or a file that SQLite creates beside one of them. Other files in the folder do not belong to the log.
 */
const OWN_FILE = /^(\d{4}-\d\d-\d\d)(\.damaged-\d+)?\.db(-wal|-shm|-journal)?$/;
const BESIDE = ["", "-wal", "-shm", "-journal"] as const;

/** The folder with a file for each day. It may be missing, or the path may not be a folder: callers retry after an error. */
export class LogFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  make(): void {
    mkdirSync(this.#path, { recursive: true, mode: 0o700 });
  }

  fileOf(day: string): string {
    return join(this.#path, `${day}.db`);
  }

  /** The days with a file, in order. */
  days(): string[] {
    return this.#own().flatMap(({ name, day }) => (name === `${day}.db` ? [day] : []));
  }

  /** Deletes all files of earlier days, and returns these days. */
  dropBefore(day: string): string[] {
    const dropped = this.#own().filter((file) => file.day < day);
    for (const { name } of dropped) rmSync(join(this.#path, name), { force: true });
    return dropped.map((file) => file.day);
  }

  /** The size of each day in bytes, including quarantined files, in order. */
  sizes(): Map<string, number> {
    const sizes = new Map<string, number>();
    for (const { name, day } of this.#own()) {
      const bytes = statSync(join(this.#path, name), { throwIfNoEntry: false })?.size ?? 0;
      sizes.set(day, (sizes.get(day) ?? 0) + bytes);
    }
    return sizes;
  }

  /** Quarantines a damaged day file: renames it, so that an operator can try to recover it. Retention deletes it together with its day. */
  quarantine(day: string): string {
    let number = 1;
    const nameWith = (end: string): string => join(this.#path, `${day}.damaged-${number}.db${end}`);
    while (existsSync(nameWith(""))) number++;
    for (const end of BESIDE) {
      const path = `${this.fileOf(day)}${end}`;
      if (existsSync(path)) renameSync(path, nameWith(end));
    }
    return nameWith("");
  }

  #own(): { name: string; day: string }[] {
    const names = existsSync(this.#path) ? readdirSync(this.#path).toSorted() : [];
    return names.flatMap((name) => {
      const day = OWN_FILE.exec(name)?.[1];
      return day === undefined ? [] : [{ name, day }];
    });
  }
}
