import { join } from "node:path";
import type { Certificate } from "../mock/json-mock.ts";
import { scratchFolder } from "./scratch.ts";

/** A private certificate authority, and a certificate that it signed for this machine. */
export function makeCertificate(): Certificate {
  const folder = scratchFolder("tls");
  const at = (name: string): string => join(folder, name);
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  openssl(["req", "-x509", ...curve, "-subj", "/CN=bench authority", "-keyout", at("ca.key"), "-out", at("ca.pem")]);
  const signing = ["-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  openssl(["req", "-x509", ...curve, ...signing, "-subj", "/CN=localhost", "-keyout", at("key.pem"), "-out", at("cert.pem")]);
  return { authority: at("ca.pem"), cert: at("cert.pem"), key: at("key.pem") };
}

function openssl(args: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["openssl", ...args], { stdout: "ignore", stderr: "pipe" });
  if (exitCode !== 0) throw new Error(`openssl: ${stderr.toString()}`);
}
