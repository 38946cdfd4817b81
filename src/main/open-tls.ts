import type { Config } from "../config.ts";
import type { TlsReload } from "../config/tls/tls-reload.ts";
import type { ListenerSettings } from "../config/listener-settings.ts";
import { urlOf } from "../http/serve.ts";
import type { Log } from "../lib/log/log.ts";

/** The TLS pairs of the listeners with TLS. */
interface ListenerTls {
  readonly gateway: TlsReload | undefined;
  readonly platform: TlsReload | undefined;
  /** Reads the files again. */
  reload(): void;
  close(): void;
}

/** Opens the TLS pairs of the listeners that this start opens. Throws `ConfigError` if one of them cannot be used. */
export async function openTls(config: Config, log: Log, nowMs: () => number): Promise<ListenerTls> {
  const { gatewayUrl, platformUrl } = config;
  const open = (listener: ListenerSettings, publicUrl: string | undefined) => openPair(listener, publicUrl ?? urlOf(listener), log, nowMs);
  const gateway = config.database?.role === "platform" ? undefined : await open(config.gateway, gatewayUrl);
  const platform = await open(config.platform, platformUrl?.href);
  return {
    gateway,
    platform,
    reload() {
      gateway?.reload();
      platform?.reload();
    },
    close() {
      gateway?.close();
      platform?.close();
    },
  };
}

async function openPair({ tls: files }: ListenerSettings, url: string, log: Log, nowMs: () => number): Promise<TlsReload | undefined> {
  if (!files) return undefined;
  // Loaded lazily: most gateways are behind a proxy.
  const { TlsReload } = await import("../config/tls/tls-reload.ts");
  const hostname = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
  return new TlsReload({ files, hostname, log, nowMs });
}
