import { readFileSync } from "node:fs";
import type { Log } from "../lib/log/log.ts";
import type { ListenerOptions } from "../http/serve.ts";

/** File descriptors reserved for databases, logs and webhooks: this number, or a quarter of the limit if that is lower. */
const OWN_FILES = 250;
/** The shares of the remaining descriptors. A model call takes two descriptors, because it also connects to the upstream. */
const SHARES = { gateway: 0.4, platform: 0.1 };

/**
 * The maximum number of connections of a listener: a process without file descriptors cannot even reject connections, and would retry
 * accepting them in a loop.
 */
export function connectionLimit(name: keyof typeof SHARES, log: Log): Pick<ListenerOptions, "maxConnections" | "reportFull"> {
  const files = filesAllowed();
  const maxConnections = Math.floor((files - Math.min(OWN_FILES, files / 4)) * SHARES[name]);
  const message = `the ${name} has ${maxConnections} connections and rejects new ones: this process may open ${files} files`;
  return { maxConnections, reportFull: () => log.write({ level: "warn", event: "connections_full", message }) };
}

/** Bun has already raised the soft limit to the hard limit. */
function filesAllowed(): number {
  return Number(softLimit()) || Infinity;
}

/** On Linux, a file contains the limit. A process report contains it on every system, but takes 4 MB of memory that is never released. */
function softLimit(): string | number | undefined {
  try {
    return /^Max open files +(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
  } catch {
    const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
    return userLimits?.open_files?.soft;
  }
}
