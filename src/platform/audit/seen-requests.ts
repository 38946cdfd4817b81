const SLOTS = 1 << 20;
const MAX_USED = SLOTS / 2;

/**
 * Remembers which request ids there were, by 64 bits of each: ids themselves would take many times the memory. It grows by
 * whole tables, so that nothing has to be copied: a set of millions that grows would stall the process for a second.
 */
export class SeenRequests {
  readonly #tables: Uint32Array[] = [];
  #used = MAX_USED;

  has(requestId: string): boolean {
    const [high, low] = fingerprintOf(requestId);
    return this.#tables.some((table) => table[slotOf(table, high, low)] !== 0);
  }

  add(requestId: string): void {
    if (this.#used >= MAX_USED) {
      this.#tables.push(new Uint32Array(SLOTS * 2));
      this.#used = 0;
    }
    const [high, low] = fingerprintOf(requestId);
    const table = this.#tables.at(-1)!;
    const at = slotOf(table, high, low);
    table[at] = high;
    table[at + 1] = low;
    this.#used++;
  }
}

/** The place of a fingerprint, or the free one where it belongs. */
function slotOf(table: Uint32Array, high: number, low: number): number {
  let slot = low & (SLOTS - 1);
  while (table[slot * 2] !== 0 && (table[slot * 2] !== high || table[slot * 2 + 1] !== low)) slot = (slot + 1) & (SLOTS - 1);
  return slot * 2;
}

/** Its first half is never 0, which marks a free place. */
function fingerprintOf(text: string): [high: number, low: number] {
  return [Bun.hash.xxHash32(text, 1) || 1, Bun.hash.xxHash32(text, 2)];
}
