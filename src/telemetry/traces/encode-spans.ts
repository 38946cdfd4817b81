import { ProtoWriter } from "./proto-writer.ts";
import type { Attributes, AttributeValue, Span } from "./span.ts";

/** The source of spans. */
export interface SpanSource {
  readonly resource: Readonly<Record<string, string>>;
  /** The instrumentation scope with its version. */
  readonly scope: { readonly name: string; readonly version: string };
}

/** Field numbers of opentelemetry/proto/trace/v1/trace.proto and common/v1/common.proto. */
const REQUEST = { resourceSpans: 1 } as const;
const RESOURCE_SPANS = { resource: 1, scopeSpans: 2 } as const;
const RESOURCE = { attributes: 1 } as const;
const SCOPE_SPANS = { scope: 1, spans: 2 } as const;
const SCOPE = { name: 1, version: 2 } as const;
const SPAN = {
  traceId: 1,
  spanId: 2,
  state: 3,
  parentId: 4,
  name: 5,
  kind: 6,
  start: 7,
  end: 8,
  attributes: 9,
  status: 15,
  flags: 16,
} as const;
const STATUS = { code: 3 } as const;
const KEY_VALUE = { key: 1, value: 2 } as const;
const VALUE = { text: 1, bool: 2, int: 3, double: 4, array: 5 } as const;
const ARRAY = { values: 1 } as const;

const KINDS = { server: 2, client: 3 } as const;
const STATUS_ERROR = 2;

/** Span flags: exported spans are sampled, and a separate flag says whether the parent is remote. */
const FLAG_SAMPLED = 0x1;
const FLAG_KNOWS_REMOTE = 0x100;
const FLAG_IS_REMOTE = 0x200;

/** One shared writer is enough, because spans are small. */
const spanWriter = new ProtoWriter();

/** Encodes a span for an export. Each span is encoded when it ends: encoding many at once would delay requests. */
export function encodeSpan(span: Span): Uint8Array {
  spanWriter.clear();
  const start = spanWriter.begin(SCOPE_SPANS.spans);
  writeSpan(spanWriter, span);
  spanWriter.end(start);
  return spanWriter.take();
}

/** An `ExportTraceServiceRequest` with these spans. */
export function encodeExport(spans: readonly Uint8Array[], { resource, scope }: SpanSource): Uint8Array {
  const writer = new ProtoWriter();
  const whole = writer.begin(REQUEST.resourceSpans);
  const origin = writer.begin(RESOURCE_SPANS.resource);
  writeAttributes(writer, RESOURCE.attributes, Object.entries(resource));
  writer.end(origin);
  const scopeSpans = writer.begin(RESOURCE_SPANS.scopeSpans);
  const teller = writer.begin(SCOPE_SPANS.scope);
  writer.text(SCOPE.name, scope.name);
  writer.text(SCOPE.version, scope.version);
  writer.end(teller);
  writer.written(spans);
  writer.end(scopeSpans);
  writer.end(whole);
  return writer.take();
}

function writeSpan(writer: ProtoWriter, span: Span): void {
  writer.hex(SPAN.traceId, span.traceId);
  writer.hex(SPAN.spanId, span.spanId);
  if (span.state !== undefined) writer.text(SPAN.state, span.state);
  if (span.parentId !== undefined) writer.hex(SPAN.parentId, span.parentId);
  writer.text(SPAN.name, span.name);
  writer.small(SPAN.kind, KINDS[span.kind]);
  writer.fixed64(SPAN.start, span.startNanos);
  writer.fixed64(SPAN.end, span.endNanos);
  writeAttributes(writer, SPAN.attributes, span.attributes);
  if (span.isError) writeError(writer);
  writer.fixed32(SPAN.flags, FLAG_SAMPLED | FLAG_KNOWS_REMOTE | (span.hasRemoteParent ? FLAG_IS_REMOTE : 0));
}

function writeError(writer: ProtoWriter): void {
  const status = writer.begin(SPAN.status);
  writer.small(STATUS.code, STATUS_ERROR);
  writer.end(status);
}

function writeAttributes(writer: ProtoWriter, field: number, attributes: Attributes): void {
  for (const [name, value] of attributes) {
    if (value === undefined) continue;
    const attribute = writer.begin(field);
    writer.text(KEY_VALUE.key, name);
    const start = writer.begin(KEY_VALUE.value);
    writeValue(writer, value);
    writer.end(start);
    writer.end(attribute);
  }
}

function writeValue(writer: ProtoWriter, value: AttributeValue): void {
  if (typeof value === "string") writer.text(VALUE.text, value);
  else if (typeof value === "bigint") writer.int64(VALUE.int, value);
  else if (typeof value === "number") writer.double(VALUE.double, value);
  else if (typeof value === "boolean") writer.bool(VALUE.bool, value);
  else writeTexts(writer, value);
}

function writeTexts(writer: ProtoWriter, texts: readonly string[]): void {
  const array = writer.begin(VALUE.array);
  for (const text of texts) {
    const start = writer.begin(ARRAY.values);
    writer.text(VALUE.text, text);
    writer.end(start);
  }
  writer.end(array);
}
