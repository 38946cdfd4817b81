/** A check that a run stands and falls with. */
export class GateFailure extends Error {}

export function must(holds: boolean, what: string): void {
  if (!holds) throw new GateFailure(what);
}
