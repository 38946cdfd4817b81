import { type Purse, purseKey, type PurseKey } from "../../../money/purse.ts";

/** The purses that had less than a process asked for, with these processes: they are notified when it has something again. */
export class ShortPurses {
  readonly #short = new Map<PurseKey, Set<string>>();

  get isEmpty(): boolean {
    return this.#short.size === 0;
  }

  add(purse: Purse, instanceId: string): void {
    const key = purseKey(purse);
    const known = this.#short.get(key);
    if (known) known.add(instanceId);
    else this.#short.set(key, new Set([instanceId]));
  }

  has(purse: Purse): boolean {
    return this.#short.has(purseKey(purse));
  }

  /** The processes that asked for it. They are forgotten. */
  take(purse: Purse): readonly string[] {
    const key = purseKey(purse);
    const instanceIds = [...(this.#short.get(key) ?? [])];
    this.#short.delete(key);
    return instanceIds;
  }
}
