import { randomBase62 } from "../../lib/text/base62.ts";
import { newInstanceId } from "../../stores/ledger/instance-id.ts";

/**
 * A new id of a gateway process, with the lowest number that no other has: metrics are labelled with it, and should have few labels. Where machines
 * share a database, it begins with the name of this one.
 */
export function newProcessId(taken: readonly string[], sharesDatabase: boolean): string {
  const slots = new Set(taken.map(slotOf));
  let slot = 1;
  while (slots.has(String(slot))) slot++;
  return sharesDatabase ? newInstanceId(slot) : `${slot}-${randomBase62(8)}`;
}

/** The number of a process on its machine. */
export function slotOf(processId: string): string {
  return /(\d+)-[^-]+$/.exec(processId)?.[1] ?? processId;
}
