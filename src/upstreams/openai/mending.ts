/**
 * The changes made to an answer, remembered: one that needed none is relayed with its own bytes, and only one that did is
 * written anew.
 */
export class Mending {
  isNeeded = false;

  set(target: Record<string, unknown>, name: string, value: unknown): void {
    target[name] = value;
    this.isNeeded = true;
  }

  remove(target: Record<string, unknown>, name: string): void {
    if (!Object.hasOwn(target, name)) return;
    delete target[name];
    this.isNeeded = true;
  }
}
