/** A content block of the Messages format. */
export interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}
