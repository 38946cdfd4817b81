/**
 * Called with a record that was added or changed, and its previous state, in the turn of the event loop in which the change comes into
 * force.
 */
export type RecordListener<T> = (record: T, before: T | undefined) => void;

/** The listeners of a store's changes. They must not throw: a change that is in force cannot be rolled back. */
export class ChangeListeners<Changed extends readonly unknown[]> {
  readonly #listeners: ((...changed: Changed) => void)[] = [];

  add(listener: (...changed: Changed) => void): void {
    this.#listeners.push(listener);
  }

  publish(...changed: Changed): void {
    for (const listener of this.#listeners) listener(...changed);
  }
}
