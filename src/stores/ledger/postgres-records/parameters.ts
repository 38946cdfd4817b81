/** The parameters of a statement. */
export class Parameters {
  readonly values: unknown[] = [];

  /** Adds a value, and returns its placeholder. */
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}
