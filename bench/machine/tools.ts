import { existsSync } from "node:fs";

/** Debian puts nginx where only root looks. */
export const NGINX = Bun.which("nginx") ?? ["/usr/sbin/nginx", "/usr/local/sbin/nginx"].find((path) => existsSync(path)) ?? null;

const PACKAGES: Readonly<Record<string, string>> = { nginx: "nginx-light", wrk: "wrk", taskset: "util-linux", openssl: "openssl" };

/** A sentence about the programs that are not there, or null. */
export function toolsMissing(): string | null {
  const missing = Object.keys(PACKAGES).filter((name) => (name === "nginx" ? NGINX : Bun.which(name)) === null);
  if (missing.length === 0) return null;
  return `The benchmark needs ${missing.join(" and ")}: apt-get install ${missing.map((name) => PACKAGES[name]).join(" ")}`;
}
