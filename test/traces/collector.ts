import { gunzipSync } from "bun";
import { waitFor } from "../support/gateway/start-gateway.ts";
import { decodeExport, plainValue, type DecodedAttribute, type DecodedRequest, type DecodedSpan } from "./official-proto.ts";

/** A span in tests. */
export interface SeenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly state: string | undefined;
  readonly name: string;
  readonly kind: string;
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly statusMessage: string | undefined;
}

/** One call of the collector. */
export interface Export {
  readonly path: string;
  readonly headers: Headers;
  /** The decompressed body. */
  readonly bytes: Uint8Array;
  readonly decoded: DecodedRequest;
}

export interface Collector {
  readonly url: string;
  readonly port: number;
  readonly exports: Export[];
  spans(): SeenSpan[];
  /** Waits for the spans of a request: the server span first, then the attempts in order. */
  spansOf(requestId: string): Promise<[SeenSpan, ...SeenSpan[]]>;
  stop(): Promise<void>;
}

/** A collector for tests: it accepts OTLP over HTTP, decoded by OpenTelemetry's own definitions. `answer` may reject an export. */
export function startCollector(answer: (taken: Export) => Response | Promise<Response> = () => new Response(), port = 0): Collector {
  const exports: Export[] = [];
  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    async fetch(request) {
      const sent = new Uint8Array(await request.arrayBuffer());
      const bytes = request.headers.get("content-encoding") === "gzip" ? gunzipSync(sent) : sent;
      const taken = { path: new URL(request.url).pathname, headers: request.headers, bytes, decoded: decodeExport(bytes) };
      const response = await answer(taken);
      if (response.ok) exports.push(taken);
      return response;
    },
  });
  const spans = (): SeenSpan[] => exports.flatMap(({ decoded }) => spansIn(decoded));
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port!,
    exports,
    spans,
    async spansOf(requestId) {
      const own = await waitFor(() => spans().find((span) => span.attributes["tollgate.request_id"] === requestId));
      return [own, ...spans().filter(({ parentId }) => parentId === own.spanId)];
    },
    stop: () => server.stop(true),
  };
}

function spansIn({ resourceSpans }: DecodedRequest): SeenSpan[] {
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans = [] }) => spans.map(toSeen)));
}

function toSeen(span: DecodedSpan): SeenSpan {
  return {
    traceId: Buffer.from(span.traceId).toString("hex"),
    spanId: Buffer.from(span.spanId).toString("hex"),
    parentId: span.parentSpanId && Buffer.from(span.parentSpanId).toString("hex"),
    state: span.traceState,
    name: span.name,
    kind: span.kind,
    startNanos: BigInt(span.startTimeUnixNano),
    endNanos: BigInt(span.endTimeUnixNano),
    attributes: plainAttributes(span.attributes ?? []),
    isError: span.status?.code === "STATUS_CODE_ERROR",
    statusMessage: span.status?.message,
  };
}

export function plainAttributes(attributes: readonly DecodedAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]));
}
