/** A text, a whole number, a fraction, a yes or no, or several texts. */
export type AttributeValue = string | bigint | number | boolean | readonly string[];

/** What is known of a span, by the names of the semantic conventions. What is not known is undefined. Lists are cheaper than records. */
export type Attributes = readonly (readonly [name: string, value: AttributeValue | undefined])[];

/** A span as it is told. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  /** Whether that parent is in another process. */
  readonly hasRemoteParent: boolean;
  readonly state: string | undefined;
  readonly name: string;
  readonly kind: "server" | "client";
  /** Since 1970. */
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly attributes: Attributes;
  readonly isError: boolean;
}
