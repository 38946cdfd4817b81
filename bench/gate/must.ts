/** A failed check, which ends the run. */
export class GateFailure extends Error {}

export function must(holds: boolean, what: string): void {
  if (!holds) throw new GateFailure(what);
}
