const SLOTS = 1 << 20;
const MAX_USED = SLOTS / 2;

/**
 * Remembers request IDs by 64 bits of their hash, because the IDs themselves would need many times the memory. It grows by whole tables
 * without copying: resizing a set of millions would stall the process for a second.
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

/** The slot that contains a fingerprint, or the free slot where it belongs. */
function slotOf(table: Uint32Array, high: number, low: number): number {
  let slot = low & (SLOTS - 1);
  while (table[slot * 2] !== 0 && (table[slot * 2] !== high || table[slot * 2 + 1] !== low)) slot = (slot + 1) & (SLOTS - 1);
  return slot * 2;
}

/** The first half is never 0, because 0 marks a free slot. */
function fingerprintOf(text: string): [high: number, low: number] {
  return [Bun.hash.xxHash32(text, 1) || 1, Bun.hash.xxHash32(text, 2)];
}
