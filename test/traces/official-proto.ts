import root from "@opentelemetry/otlp-transformer/build/src/generated/root.js";

/** An attribute value of the official decoder: exactly one field is set. */
export interface DecodedValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values?: readonly DecodedValue[] };
}

export interface DecodedAttribute {
  readonly key: string;
  readonly value: DecodedValue;
}

export interface DecodedSpan {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly parentSpanId?: Uint8Array;
  readonly traceState?: string;
  readonly flags?: number;
  readonly name: string;
  readonly kind: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly DecodedAttribute[];
  readonly status?: { readonly code?: string; readonly message?: string };
}

export interface DecodedRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly DecodedAttribute[] };
    readonly scopeSpans: readonly { readonly scope: { readonly name: string; readonly version: string }; readonly spans?: DecodedSpan[] }[];
  }[];
}

/** The part of the generated code that is used here. Its types are from an older `protobufjs`. */
interface MessageType {
  decode(bytes: Uint8Array): object;
  encode(message: object): { finish(): Uint8Array };
  toObject(message: object, options: object): unknown;
  verify(message: object): string | null;
}

const { ExportTraceServiceRequest, ExportTraceServiceResponse } = (
  root as unknown as {
    opentelemetry: {
      proto: { collector: { trace: { v1: { ExportTraceServiceRequest: MessageType; ExportTraceServiceResponse: MessageType } } } };
    };
  }
).opentelemetry.proto.collector.trace.v1;

/** Decodes an export with the code that OpenTelemetry generates from its own .proto files. Throws if it is not a valid export. */
export function decodeExport(bytes: Uint8Array): DecodedRequest {
  const message = ExportTraceServiceRequest.decode(bytes);
  const problem = ExportTraceServiceRequest.verify(message);
  if (problem !== null) throw new Error(problem);
  return ExportTraceServiceRequest.toObject(message, { longs: String, enums: String }) as DecodedRequest;
}

/** The response of a collector that has rejected a part of an export. */
export function encodePartialSuccess(rejectedSpans: number, errorMessage: string): Uint8Array {
  return ExportTraceServiceResponse.encode({ partialSuccess: { rejectedSpans, errorMessage } }).finish();
}

/** The plain value of an attribute. Whole numbers are `bigint`, so that they are not mistaken for fractions. */
export function plainValue(value: DecodedValue): string | boolean | bigint | number | readonly string[] | undefined {
  if (value.intValue !== undefined) return BigInt(value.intValue);
  if (value.arrayValue !== undefined) return (value.arrayValue.values ?? []).map((each) => each.stringValue ?? "?");
  return value.stringValue ?? value.boolValue ?? value.doubleValue;
}
