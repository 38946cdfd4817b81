/** About 15 MB in memory, and about the number of changes for which the journal has space. */
const MAX_KEPT = 20_000;
const NOTE_EVERY_MS = 1000;

/**
 * Decides how long a process keeps changes that its authority has applied: a database that is restored to an earlier state asks for them
 * again.
 */
export class AppliedRetention {
  readonly #keepMs: number;
  /** The numbers of applied changes with the times of their application, oldest first. */
  readonly #noted: { readonly seq: number; readonly atMs: number }[] = [];
  #forgottenSeq = 0;

  /** With zero, no applied change is kept. */
  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  /** Notes that the authority has applied the changes up to a number. Returns the number up to which changes may be forgotten. */
  applied(seq: number, nowMs: number): number {
    if (this.#keepMs === 0) return seq;
    const last = this.#noted.at(-1);
    if (!last || (nowMs - last.atMs >= NOTE_EVERY_MS && seq > last.seq)) this.#noted.push({ seq, atMs: nowMs });
    while (this.#noted.length > 0 && nowMs - this.#noted[0]!.atMs >= this.#keepMs) this.#forgottenSeq = this.#noted.shift()!.seq;
    this.#forgottenSeq = Math.max(this.#forgottenSeq, seq - MAX_KEPT);
    // A restored database has applied fewer changes than before.
    return Math.min(this.#forgottenSeq, seq);
  }
}
