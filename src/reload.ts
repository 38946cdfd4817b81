import { watch } from "node:fs";
import { basename, dirname } from "node:path";
import type { Log } from "./http/log.ts";

/** An editor writes a file in several steps. */
const SETTLE_MS = 100;

/** Reads the config file again, by order or when it changes: one reading at a time, and the newest one counts. */
export class Reload {
  readonly #reload: () => Promise<void>;
  readonly #log: Log;
  #last: Promise<unknown> = Promise.resolve();
  #timer: Timer | undefined;

  /** `reload` throws where the file cannot be used; what was in force then stays. */
  constructor(reload: () => Promise<void>, log: Log) {
    this.#reload = reload;
    this.#log = log;
  }

  /** Reloads now. Rejects with what is wrong with the file. */
  now(): Promise<void> {
    const run = this.#last.then(() => this.#reload());
    this.#last = run.catch(() => undefined);
    return run;
  }

  /** Reloads, and tells the log how it went: for those who cannot be answered. */
  async quietly(): Promise<void> {
    try {
      await this.now();
      this.#log.write({ event: "config_reloaded", message: "the config file was read again and is in force" });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      this.#log.write({
        event: "config_refused",
        message: `the config file was read again and refused, and nothing has changed: ${problem}`,
      });
    }
  }

  /**
   * Reloads whenever the file changes, until the function that is returned is called. The folder is watched, not the file:
   * many an editor puts a new file in the old one's place, and Kubernetes a link.
   */
  watch(path: string): () => void {
    const name = basename(path);
    const watcher = watch(dirname(path), (_, changed) => {
      if (changed !== null && changed !== name && !changed.startsWith("..")) return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.quietly(), SETTLE_MS);
    });
    return () => {
      clearTimeout(this.#timer);
      watcher.close();
    };
  }
}
