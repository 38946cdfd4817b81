/** A piece of a message in the Messages format. */
export interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}
