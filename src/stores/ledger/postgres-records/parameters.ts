/** The parameters of a statement. */
export class Parameters {
  readonly values: unknown[] = [];

  /** Its place in the statement. */
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}
