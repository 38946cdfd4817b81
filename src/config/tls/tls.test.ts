import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../../test/support/eventually.ts";
import { makeCertificate, openssl, readPair, type CertificateFiles } from "../../../test/support/tls/certificates.ts";
import { X509Certificate } from "node:crypto";
import type { LogFields } from "../../lib/log/log-format.ts";
import { readTlsPair } from "./read-tls-pair.ts";
import type { TlsFiles } from "./tls-files.ts";
import { TlsReload } from "./tls-reload.ts";

describe.skipIf(!openssl)("TLS files", () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-tls-files-"));
  // Without this mode, no other user could reach the files in the folder.
  chmodSync(folder, 0o755);
  afterAll(() => rmSync(folder, { recursive: true }));
  const [first, second] = openssl ? ["first", "second"].map((name) => makeCertificate(folder, name)) : [];
  const [cert, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];

  beforeEach(() => put(first!));

  /** Replaces the files as most tools do: one after the other. */
  function put(files: CertificateFiles): void {
    for (const [from, to] of [
      [files.cert, cert],
      [files.key, key],
    ] as const) {
      copyFileSync(from, `${to}.new`);
      chmodSync(`${to}.new`, 0o600);
      renameSync(`${to}.new`, to);
    }
  }

  const named = (certPath = cert, keyPath = key): TlsFiles => ({
    certificate: { variable: "TLS_CERT", path: certPath },
    key: { variable: "TLS_KEY", path: keyPath },
  });

  describe("are refused, with the variable and the file, where", () => {
    const cases: [name: string, change: () => void, problem: string][] = [
      ["the certificate is missing", () => rmSync(cert), `TLS_CERT: ${cert} does not exist`],
      ["the key is missing", () => rmSync(key), `TLS_KEY: ${key} does not exist`],
      ["the key is a folder", () => (rmSync(key), mkdirSync(key)), `TLS_KEY: ${key} is not a file`],
      ["the certificate is none", () => writeFileSync(cert, "nonsense"), `TLS_CERT: ${cert} has no certificate in PEM format`],
      [
        "one certificate of the chain is broken",
        () => writeFileSync(cert, `${readFileSync(cert, "utf8")}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`),
        `TLS_CERT: ${cert} has a certificate that cannot be read`,
      ],
      ["the key is none", () => writeFileSync(key, "nonsense"), `TLS_KEY: ${key} has no private key in PEM format`],
      ["the key is a certificate", () => copyFileSync(cert, key), `TLS_KEY: ${key} has no private key in PEM format`],
      [
        "the key belongs to another certificate",
        () => copyFileSync(second!.key, key),
        `TLS_KEY: ${key} is not the key of the certificate in ${cert}`,
      ],
      [
        "every user can write the key",
        () => chmodSync(key, 0o602),
        `TLS_KEY: ${key} can be changed by every user of this machine, who could impersonate this server: chmod o-w ${key}`,
      ],
      [
        "the key is encrypted",
        () => Bun.spawnSync([openssl!, "pkcs8", "-topk8", "-in", first!.key, "-passout", "pass:canary", "-out", key]),
        `TLS_KEY: ${key} is encrypted: store the key without a passphrase`,
      ],
      [
        "the algorithm is not supported",
        () => put(makeCertificate(folder, "p224", { algorithm: ["ec", "-pkeyopt", "ec_paramgen_curve:secp224r1"] })),
        `TLS_CERT: ${cert} has a certificate or a key of an algorithm that is not supported: use RSA, ECDSA (P-256, P-384) or Ed25519`,
      ],
    ];
    for (const [name, change, problem] of cases) {
      test(name, () => {
        change();
        expect(() => readTlsPair(named())).toThrow(problem);
        rmSync(key, { recursive: true, force: true });
      });
    }

    test.skipIf(process.getuid?.() === 0)("the key cannot be read", () => {
      chmodSync(key, 0);
      expect(() => readTlsPair(named())).toThrow(`TLS_KEY: ${key} cannot be read: EACCES`);
    });
  });

  test("may have a chain, other text, and the key beside the certificate", () => {
    writeFileSync(
      cert,
      `issued for us\r\n${readFileSync(first!.cert, "utf8")}\n${readFileSync(second!.cert, "utf8")}${readFileSync(first!.key, "utf8")}`,
    );
    expect(readTlsPair(named(cert, cert)).certificate.subject).toBe("CN=first");
  });

  describe("reload", () => {
    const lines: LogFields[] = [];
    let reload: TlsReload;
    beforeEach(() => void lines.splice(0));

    function open(files = named(), hostname = "localhost", nowMs = Date.now): TlsReload {
      reload = new TlsReload({ files, hostname, nowMs, log: { write: (fields) => void lines.push(fields) } });
      return reload;
    }
    const subject = (): string => new X509Certificate(reload.current.certificates).subject;
    const events = (): unknown[] => lines.map(({ event }) => event);

    const warningsOf = (hostname: string, nowMs: number): unknown[] => {
      lines.splice(0);
      open(named(), hostname, () => nowMs).close();
      expect(lines.every(({ level, event }) => level === "warn" && event === "tls_warning")).toBe(true);
      return lines.map(({ message }) => message);
    };

    test("a changed pair is in force, and is logged once; a broken one leaves the previous in force", async () => {
      open();
      let changes = 0;
      reload.onChange = () => void changes++;
      put(second!);
      await eventually(subject, (name) => name === "CN=second");
      copyFileSync(first!.cert, cert);
      await eventually(events, (seen) => seen.includes("tls_rejected"));
      expect([subject(), changes]).toEqual(["CN=second", 1]);
      expect(lines.at(-1)).toEqual({
        level: "warn",
        event: "tls_rejected",
        message: `the TLS certificate was rejected, and the previous one stays in force: TLS_KEY: ${key} is not the key of the certificate in ${cert}`,
      });
      put(first!);
      await eventually(subject, (name) => name === "CN=first");
      reload.reload();
      reload.close();
      expect([events(), changes]).toEqual([["tls_reloaded", "tls_rejected", "tls_reloaded"], 2]);
      expect(lines[0]!["message"]).toMatch(new RegExp(`^TLS_CERT: ${RegExp.escape(cert)} is in force, until \\d{4}-`));
    });

    test("a secret of Kubernetes is followed through its symbolic links", async () => {
      const mount = mkdtempSync(join(folder, "mount-"));
      const project = ({ cert: from, key: fromKey }: CertificateFiles, name: string): void => {
        mkdirSync(join(mount, name));
        copyFileSync(from, join(mount, name, "tls.crt"));
        copyFileSync(fromKey, join(mount, name, "tls.key"));
        symlinkSync(name, join(mount, "..data_tmp"));
        renameSync(join(mount, "..data_tmp"), join(mount, "..data"));
      };
      project(first!, "..2026_01");
      for (const name of ["tls.crt", "tls.key"]) symlinkSync(join("..data", name), join(mount, name));
      open(named(join(mount, "tls.crt"), join(mount, "tls.key")));
      expect(subject()).toBe("CN=first");
      project(second!, "..2026_02");
      rmSync(join(mount, "..2026_01"), { recursive: true });
      await eventually(subject, (name) => name === "CN=second");
      reload.close();
    });

    test("warns of a key that every user can read, of a name that is not in it, and of its dates", () => {
      const day = 24 * 3600 * 1000;
      expect([...warningsOf("localhost", Date.now()), ...warningsOf("127.0.0.1", Date.now())]).toEqual([]);
      expect(warningsOf("api.example.com", Date.now())).toEqual([
        `TLS_CERT: ${cert} is not for api.example.com, which clients connect to: it is for DNS:localhost, IP Address:127.0.0.1`,
      ]);
      expect(warningsOf("::1", Date.now())).toHaveLength(1);
      expect(warningsOf("localhost", Date.now() + 31 * day)).toEqual([expect.stringMatching(/ has expired on \d{4}-/)]);
      expect(warningsOf("localhost", Date.now() - 2 * day)).toEqual([expect.stringMatching(/ is not valid before \d{4}-/)]);
      chmodSync(key, 0o644);
      expect(warningsOf("localhost", Date.now())).toEqual([`TLS_KEY: ${key} can be read by every user of this machine`]);
    });

    test("names the file that clients need for a certificate that is its own issuer", () => {
      expect(open().selfSignedFile).toBe(cert);
      reload.close();
      put(makeCertificate(folder, "issued", { issuer: first! }));
      expect(open().selfSignedFile).toBeUndefined();
      reload.close();
      expect(reload.current.key.equals(readPair({ cert, key }).key)).toBe(true);
    });
  });
});
