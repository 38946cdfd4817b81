import type { KeyUses, LastUsedRecorder } from "./last-used-store.ts";

/** The uses of a key so far. */
interface CountedUses {
  lastUsedAtMs: number;
  readonly models: Map<string, { lastUsedAtMs: number; requests: number }>;
}

/** Uses that are not written yet: a few numbers for each key. If it gets two times, the later one counts. */
export class PendingUses implements LastUsedRecorder {
  readonly #keys = new Map<string, CountedUses>();

  /** The number of keys. */
  get size(): number {
    return this.#keys.size;
  }

  noteKey(keyId: string, atMs: number): void {
    this.#usesOf(keyId, atMs);
  }

  noteModel(keyId: string, model: string, atMs: number): void {
    this.#count(keyId, model, atMs, 1);
  }

  lastUsedAtMs(keyId: string): number | undefined {
    return this.#keys.get(keyId)?.lastUsedAtMs;
  }

  /** Removes and returns the uses of the first keys. */
  take(keys: number): [keyId: string, uses: KeyUses][] {
    const taken = this.#keys.entries().take(keys).toArray();
    for (const [keyId] of taken) this.#keys.delete(keyId);
    return taken;
  }

  add(keyId: string, { lastUsedAtMs, models }: KeyUses): void {
    this.#usesOf(keyId, lastUsedAtMs);
    for (const [model, use] of models) this.#count(keyId, model, use.lastUsedAtMs, use.requests);
  }

  #usesOf(keyId: string, atMs: number): CountedUses {
    const known = this.#keys.get(keyId);
    if (known) {
      known.lastUsedAtMs = Math.max(known.lastUsedAtMs, atMs);
      return known;
    }
    const uses = { lastUsedAtMs: atMs, models: new Map() };
    this.#keys.set(keyId, uses);
    return uses;
  }

  #count(keyId: string, model: string, atMs: number, requests: number): void {
    const { models } = this.#usesOf(keyId, atMs);
    const use = models.get(model);
    if (!use) return void models.set(model, { lastUsedAtMs: atMs, requests });
    use.lastUsedAtMs = Math.max(use.lastUsedAtMs, atMs);
    use.requests += requests;
  }
}
