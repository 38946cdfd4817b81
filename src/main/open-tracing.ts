import { version } from "../../package.json" with { type: "json" };
import { redactSecrets } from "../http/redact-secrets.ts";
import { logFailure, type Log } from "../lib/log/log.ts";
import type { CatalogReader } from "../stores/catalog/catalog-store.ts";
import type { ExportEvent } from "../telemetry/traces/exporter.ts";
import type { Tracing } from "../telemetry/traces/tracing.ts";
import { postBytesTo } from "../upstreams/egress/post-bytes.ts";
import type { TraceSettings } from "../telemetry/traces/trace-settings.ts";

/** Starts tracing if it is enabled. The module is loaded only then. */
export async function openTracing(settings: TraceSettings | undefined, catalog: CatalogReader, log: Log): Promise<Tracing | undefined> {
  if (!settings) return undefined;
  const { Tracing: Opened } = await import("../telemetry/traces/tracing.ts");
  return new Opened({
    settings,
    version,
    post: postBytesTo(settings.endpoint, settings.timeoutMs),
    findUpstream: (id) => catalog.upstreams().get(id),
    hide: redactSecrets,
    report: (event) => logExport(log, event),
    reportFailure: (thrown) => logFailure(log, "the spans of a request could not be written", thrown),
  });
}

function logExport(log: Log, event: ExportEvent): void {
  if (event.kind === "failing") {
    log.write({ level: "warn", event: "traces_unavailable", message: "the trace collector does not accept spans", detail: event.detail });
  } else if (event.kind === "working") {
    log.write({ event: "traces_recovered", message: "the trace collector accepts spans again", lost_spans: event.lost });
  } else {
    const { spans, message } = event.rejection;
    log.write({
      level: "warn",
      event: "traces_rejected",
      message: `the trace collector rejected ${spans} spans of a batch`,
      detail: message.slice(0, 200),
    });
  }
}
