import type { RunningSystem } from "../systems/system.ts";
import { isTollgate } from "../systems/tollgate.ts";
import { must } from "./must.ts";

/**
 * A single wrong response of Tollgate ends the run. Rounds of other systems are repeated, but repeating a round of Tollgate would hide a
 * bug.
 */
export function mustBeRight(running: RunningSystem, wrong: number, during: string): void {
  must(wrong === 0 || !isTollgate(running), `${wrong} wrong answers ${during}`);
}
