import { existsSync } from "node:fs";

/** Debian installs nginx in a folder that only root has in its PATH. */
export const NGINX = Bun.which("nginx") ?? ["/usr/sbin/nginx", "/usr/local/sbin/nginx"].find((path) => existsSync(path)) ?? null;

const PACKAGES: Readonly<Record<string, string>> = { nginx: "nginx-light", wrk: "wrk", taskset: "util-linux", openssl: "openssl" };

/** A sentence about missing programs, or null. */
export function toolsMissing(): string | null {
  const missing = Object.keys(PACKAGES).filter((name) => (name === "nginx" ? NGINX : Bun.which(name)) === null);
  if (missing.length === 0) return null;
  return `The benchmark needs ${missing.join(" and ")}: apt-get install ${missing.map((name) => PACKAGES[name]).join(" ")}`;
}
