import type { UnsafeConfig } from "./unsafe-configs.ts";

const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };

/** Traces that would go nowhere, or a collector token that would be sent to a wrong place. */
export const UNSAFE_TRACES: readonly UnsafeConfig[] = [
  inTraces("a collector that is not an address", "ENDPOINT", "collector:4318", "http:// or https://"),
  inTraces("a collector with a password", "TRACES_ENDPOINT", "https://a:canary@collector.example", "no user"),
  inTraces("a collector on the internet in clear text", "ENDPOINT", "http://8.8.8.8:4318", "needs https://"),
  inTraces("a collector at an address that nobody has", "ENDPOINT", "http://169.254.169.254", "never called"),
  inTraces("another protocol of traces", "PROTOCOL", "grpc", "http/protobuf"),
  inTraces("JSON for traces", "TRACES_PROTOCOL", "http/json", "http/protobuf"),
  inTraces("a header of a collector without a value", "HEADERS", "authorization", "name=value"),
  inTraces("a header of a collector with a line break", "HEADERS", "x-canary=a%0d%0ab:canary", "invalid header"),
  inTraces("a header of a collector that is ours to set", "TRACES_HEADERS", "host=canary.example", "invalid header"),
  inTraces("a header of a collector in no encoding", "HEADERS", "a=canary%", "percent-encoded values"),
  inTraces("no time for a collector", "TIMEOUT", "0", "between 1 and 600000"),
  inTraces("a compression that there is not", "COMPRESSION", "zstd", "one of none, gzip"),
  ofTraces("a sampler that there is not", "OTEL_TRACES_SAMPLER", "sometimes", "one of parentbased_always_on"),
  ofTraces("a share of more than all traces", "OTEL_TRACES_SAMPLER_ARG", "1.5", "from 0 to 1"),
  ofTraces("a share that is not a number", "OTEL_TRACES_SAMPLER_ARG", "half", "from 0 to 1"),
  ofTraces("an exporter that there is not", "OTEL_TRACES_EXPORTER", "zipkin", "one of otlp, none"),
  ofTraces("a switch that is half on", "OTEL_SDK_DISABLED", "maybe", "one of false, true"),
  ofTraces("attributes of a resource that are none", "OTEL_RESOURCE_ATTRIBUTES", "team", "name=value"),
  ofTraces("content that is half wanted", "TOLLGATE_TRACE_CONTENT", "yes", "one of off, on"),
];

function inTraces(name: string, end: string, value: string, reason: string): UnsafeConfig {
  return ofTraces(name, `OTEL_EXPORTER_OTLP_${end}`, value, reason);
}

function ofTraces(name: string, variable: string, value: string, reason: string): UnsafeConfig {
  const sampler = variable.endsWith("_ARG") ? { OTEL_TRACES_SAMPLER: "traceidratio" } : {};
  return { name, env: { ...COLLECTOR, ...sampler, [variable]: value }, place: variable, reason };
}
