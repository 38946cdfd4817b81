import { join } from "node:path";
import { ROOT, type RunningGateway } from "../support/gateway/start-gateway.ts";
import type { RecordedPlatform } from "./recorded-platform.ts";
import type { LeakDetector } from "./leak-detector.ts";

interface Looking {
  readonly gateway: RunningGateway;
  readonly platform: RecordedPlatform;
  readonly detector: LeakDetector;
  /** Files of the data folder that consist of a secret. */
  readonly secretFiles: Readonly<Record<string, string>>;
}

/**
 * The places that are searched for secrets, in addition to every reply and every printed line: one line for each place that stores or shows
 * data. They are searched before a crash and after the next start.
 */
export const PLACES: readonly ((looking: Looking) => Promise<void> | void)[] = [
  ({ gateway, detector, secretFiles }) => detector.read("the data folder", join(gateway.folder, "data"), secretFiles),
  ({ detector }) => detector.read("the published descriptions", join(ROOT, "openapi")),
  ({ platform }) => readAll(platform, "/api/audit-log"),
  ({ platform }) => readAll(platform, "/api/changelog"),
  ({ platform }) => readAll(platform, "/api/keys"),
  ({ platform }) => readAll(platform, "/api/people"),
  ({ platform }) => readAll(platform, "/api/models"),
  ({ platform }) => readAll(platform, "/api/upstreams"),
  ({ platform }) => readAll(platform, "/api/accounts"),
  ({ platform }) => readAll(platform, "/api/accounts/default/entries"),
  ({ platform }) => readAll(platform, "/api/requests"),
  ({ platform }) => readAll(platform, "/api/webhooks"),
  async ({ platform }) => {
    const { body } = await platform.call("GET", "/api/webhooks");
    for (const { id } of body["data"] as { id: string }[]) await readAll(platform, `/api/webhooks/${id}/deliveries`);
  },
  async ({ platform }) => {
    for (const path of [
      "/",
      "/welcome",
      "/docs",
      "/api/changelog.atom",
      "/api/about",
      "/api/me",
      "/api/audit",
      "/api/requests/export",
      "/api/requests/statistics?by=hour",
      "/metrics",
    ])
      await platform.call("GET", path);
  },
];

async function readAll(platform: RecordedPlatform, path: string): Promise<void> {
  for (let cursor = ""; ;) {
    const { body } = await platform.call("GET", `${path}?limit=100${cursor}`);
    if (typeof body["next"] !== "string") return;
    cursor = `&cursor=${body["next"]}`;
  }
}
