import type { RunningSystem } from "../systems/system.ts";
import { isTollgate } from "../systems/tollgate.ts";
import { must } from "./must.ts";

/** One wrong answer of ours is enough: what is measured of others may be repeated, of ours it would hide something. */
export function mustBeRight(running: RunningSystem, wrong: number, during: string): void {
  must(wrong === 0 || !isTollgate(running), `${wrong} wrong answers ${during}`);
}
