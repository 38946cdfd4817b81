/** Some 15 MB in memory, and about what the journal has space for. */
const MAX_KEPT = 20_000;
const NOTE_EVERY_MS = 1000;

/** How long a process keeps changes that its authority has applied: a database that is restored to before them asks for them again. */
export class AppliedRetention {
  readonly #keepMs: number;
  /** Numbers that were applied at a time, oldest first. */
  readonly #noted: { readonly seq: number; readonly atMs: number }[] = [];
  #forgottenSeq = 0;

  /** Zero: nothing is kept. */
  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  /** The authority has applied the changes up to a number. Returns the number up to which they may be forgotten. */
  applied(seq: number, nowMs: number): number {
    if (this.#keepMs === 0) return seq;
    const last = this.#noted.at(-1);
    if (!last || (nowMs - last.atMs >= NOTE_EVERY_MS && seq > last.seq)) this.#noted.push({ seq, atMs: nowMs });
    while (this.#noted.length > 0 && nowMs - this.#noted[0]!.atMs >= this.#keepMs) this.#forgottenSeq = this.#noted.shift()!.seq;
    this.#forgottenSeq = Math.max(this.#forgottenSeq, seq - MAX_KEPT);
    // A restored database has applied less than before.
    return Math.min(this.#forgottenSeq, seq);
  }
}
