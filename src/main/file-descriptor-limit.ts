import { readFileSync } from "node:fs";
import type { Log } from "../lib/log/log.ts";
import type { ListenerOptions } from "../http/serve.ts";

/** For databases, logs and webhooks: so many files, or a quarter of what there is. */
const OWN_FILES = 250;
/** What of the rest is for callers. One of a model takes two, with the upstream's. */
const SHARES = { gateway: 0.4, platform: 0.1 };

/** How many connections a listener may have: a process without files cannot even turn callers away, and asks for them again and again. */
export function connectionLimit(name: keyof typeof SHARES, log: Log): Pick<ListenerOptions, "maxConnections" | "reportFull"> {
  const files = filesAllowed();
  const maxConnections = Math.floor((files - Math.min(OWN_FILES, files / 4)) * SHARES[name]);
  const message = `the ${name} has ${maxConnections} connections, and turns callers away: this process may open ${files} files`;
  return { maxConnections, reportFull: () => log.write({ level: "warn", event: "connections_full", message }) };
}

/** Bun has raised it to what the system allows at most. */
function filesAllowed(): number {
  return Number(softLimit()) || Infinity;
}

/** Linux has it in a file. A report has it everywhere, and takes 4 MB of memory that is never given back. */
function softLimit(): string | number | undefined {
  try {
    return /^Max open files +(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
  } catch {
    const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
    return userLimits?.open_files?.soft;
  }
}
