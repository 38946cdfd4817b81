import { describe, expect, test } from "bun:test";
import { inspect } from "node:util";
import { readTraces } from "./trace-settings.ts";

const AT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };
const read = (env: Record<string, string>): NonNullable<ReturnType<typeof readTraces>> => readTraces({ ...AT, ...env }, false)!;

describe("tracing is off", () => {
  const cases: Record<string, Record<string, string>> = {
    "without an endpoint, whatever else is set for other programs": { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_TRACES_SAMPLER: "odd" },
    "where all of OpenTelemetry is": { ...AT, OTEL_SDK_DISABLED: "True" },
    "where they are exported nowhere": { ...AT, OTEL_TRACES_EXPORTER: "none" },
  };
  for (const [name, env] of Object.entries(cases)) test(name, () => expect(readTraces(env, true)).toBeUndefined());
});

test("an endpoint alone gives the defaults", () => {
  expect(read({})).toEqual({
    endpoint: "http://127.0.0.1:4318/v1/traces",
    headers: {},
    timeoutMs: 10_000,
    isCompressed: false,
    gatherMs: 5_000,
    resource: { "service.name": "tollgate" },
    sampler: { ratio: 1, isParentBased: true },
    hasContent: false,
  });
});

test("variables for traces take precedence, and their endpoint is used unchanged", () => {
  const { endpoint, headers, timeoutMs, isCompressed } = read({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example.com/in",
    OTEL_EXPORTER_OTLP_HEADERS: "x-a=1",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-b=2",
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf",
    OTEL_EXPORTER_OTLP_TIMEOUT: "5",
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "7",
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: "none",
  });
  expect([endpoint, Object.keys(headers), timeoutMs, isCompressed]).toEqual(["https://traces.example.com/in", ["x-b"], 7, false]);
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: "https://otlp.example.com/otlp/" }).endpoint).toBe("https://otlp.example.com/otlp/v1/traces");
});

test("headers are secrets and revealed only to the exporter", () => {
  const { headers } = read({ OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Bearer%20canary, x-org = a=b==" });
  expect([headers["authorization"]!.reveal(), headers["x-org"]!.reveal()]).toEqual(["Bearer canary", "a=b=="]);
  expect(inspect(headers) + JSON.stringify(headers)).not.toContain("canary");
});

test("the service has the last given name, and its other attributes", () => {
  const given = { OTEL_RESOURCE_ATTRIBUTES: "service.name=a,team=x%2Cy" };
  expect(read(given).resource).toEqual({ "service.name": "a", team: "x,y" });
  expect(read({ ...given, OTEL_SERVICE_NAME: "b" }).resource).toEqual({ "service.name": "b", team: "x,y" });
});

test.each([
  ["always_on", undefined, 1, false],
  ["always_off", undefined, 0, false],
  ["traceidratio", "0.25", 0.25, false],
  ["traceidratio", undefined, 1, false],
  ["parentbased_always_on", undefined, 1, true],
  ["parentbased_always_off", undefined, 0, true],
  ["parentbased_traceidratio", "1e-3", 0.001, true],
  ["parentbased_traceidratio", ".5", 0.5, true],
])("the sampler %s with %s", (name, argument, ratio, isParentBased) => {
  const env = { OTEL_TRACES_SAMPLER: name, ...(argument !== undefined && { OTEL_TRACES_SAMPLER_ARG: argument }) };
  expect(read(env).sampler).toEqual({ ratio, isParentBased });
});
