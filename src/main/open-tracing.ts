import { version } from "../../package.json" with { type: "json" };
import { hideSecrets } from "../http/hide-secrets.ts";
import { logFailure, type Log } from "../lib/log/log.ts";
import type { CatalogStore } from "../stores/catalog/catalog-store.ts";
import type { ExportNews } from "../telemetry/traces/exporter.ts";
import type { Tracing } from "../telemetry/traces/tracing.ts";
import { postBytesTo } from "../upstreams/egress/post-bytes.ts";
import type { TraceSettings } from "../telemetry/traces/trace-settings.ts";

/** Traces, where they are on. They are loaded only then: nobody else pays for them. */
export async function openTracing(settings: TraceSettings | undefined, catalog: CatalogStore, log: Log): Promise<Tracing | undefined> {
  if (!settings) return undefined;
  const { Tracing: Opened } = await import("../telemetry/traces/tracing.ts");
  return new Opened({
    settings,
    version,
    post: postBytesTo(settings.endpoint, settings.timeoutMs),
    findUpstream: (id) => catalog.upstreams().get(id),
    hide: hideSecrets,
    report: (news) => logExport(log, news),
    reportFailure: (thrown) => logFailure(log, "the spans of a request could not be written", thrown),
  });
}

function logExport(log: Log, news: ExportNews): void {
  if (news.kind === "failing") {
    log.write({ level: "warn", event: "traces_unavailable", message: "the collector does not take spans", detail: news.detail });
  } else if (news.kind === "working") {
    log.write({ event: "traces_recovered", message: "the collector takes spans again", lost_spans: news.lost });
  } else {
    const { spans, message } = news.rejection;
    log.write({
      level: "warn",
      event: "traces_rejected",
      message: `the collector refused ${spans} spans of a batch`,
      detail: message.slice(0, 200),
    });
  }
}
