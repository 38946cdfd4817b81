import { afterAll, beforeAll, expect, test } from "bun:test";
import { LoggingGateway } from "./logging-gateway.ts";

let logging: LoggingGateway;

beforeAll(async () => {
  // An unreachable collector: the log does not depend on it.
  logging = await LoggingGateway.start({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" } });
});
afterAll(() => logging.gateway.stop());

test("logs the trace id of a request, the caller's own where it sent one", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const { requestId } = await logging.ask("hi", { headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` } });
  expect(await logging.gateway.platform<object>("GET", `/api/requests/${requestId}`)).toMatchObject({ trace_id: traceId });
  const other = await logging.ask("hi");
  expect(await logging.gateway.platform<object>("GET", `/api/requests/${other.requestId}`)).toMatchObject({
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
  });
});
