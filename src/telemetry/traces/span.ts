/** An attribute value: a string, an integer, a float, a boolean, or several strings. */
export type AttributeValue = string | bigint | number | boolean | readonly string[];

/** Span attributes by the names of the semantic conventions. Unknown values are undefined. Lists are cheaper than records. */
export type Attributes = readonly (readonly [name: string, value: AttributeValue | undefined])[];

/** An exported span. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  /** Whether the parent is in another process. */
  readonly hasRemoteParent: boolean;
  readonly state: string | undefined;
  readonly name: string;
  readonly kind: "server" | "client";
  /** Nanoseconds since 1970. */
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly attributes: Attributes;
  readonly isError: boolean;
}
