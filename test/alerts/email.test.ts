import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeAlert } from "../../src/alerts/describe-alert.ts";
import { formatForEmail } from "../../src/alerts/delivery/channels/send-to-channel.ts";
import type { MailServer } from "../../src/alerts/mail-call.ts";
import { readSmtp } from "../../src/config/smtp-settings.ts";
import { SmtpMailer, type SmtpOptions } from "../../src/upstreams/egress/smtp/smtp-mailer.ts";
import { makeCertificate, openssl } from "../support/tls/certificates.ts";
import { startMailServer, type MailServerOptions, type TestMailServer } from "./mail-server.ts";

const NAMES = { smtpUrl: "TOLLGATE_SMTP_URL", smtpFrom: "TOLLGATE_SMTP_FROM" };
const PASSWORD = "p%3Aa%25ss";
const ALL = ["ops@example.com", "dev@example.com"];

function settingsOf(url: string, from = "tollgate@example.com"): MailServer {
  return readSmtp({ TOLLGATE_SMTP_URL: url, TOLLGATE_SMTP_FROM: from }, NAMES)!;
}

function messageWith(name: string): string {
  const kind = "credit.low";
  const data = { account: { id: "acme", name }, credit: "1.00", low_credit: "5.00" };
  const common = {
    id: "msg_1",
    kind,
    timestamp: "2027-03-10T12:00:00.000Z",
    data,
    resolves: undefined,
    link: "https://t.example/alerts",
  } as const;
  return formatForEmail({ ...common, ...describeAlert({ kind, data }) }, "tollgate@example.com", ALL);
}

/** Headers by name, unfolded and decoded, and the decoded body. */
function parse(text: string): { headers: Map<string, string>; body: string } {
  const [head, ...rest] = text.split("\r\n\r\n");
  const unfolded = head!.replaceAll(/\r\n[ \t]+/g, " ").replaceAll(/\?= (?==\?)/g, "?=");
  const decoded = unfolded.replaceAll(/=\?utf-8\?B\?([^?]*)\?=/g, (_, word: string) => Buffer.from(word, "base64").toString());
  const headers = new Map(decoded.split("\r\n").map((line) => [line.split(": ")[0]!.toLowerCase(), line.split(": ").slice(1).join(": ")]));
  return { headers, body: Buffer.from(rest.join("\r\n\r\n"), "base64").toString() };
}

describe("a message", () => {
  test("has the headers of RFC 5322, in lines that are short enough", () => {
    const { headers, body } = parse(messageWith("Acme"));
    expect(Object.fromEntries(headers)).toEqual({
      from: "Tollgate <tollgate@example.com>",
      to: "<ops@example.com>, <dev@example.com>",
      subject: "[Tollgate] Low credit: Acme",
      date: "Wed, 10 Mar 2027 12:00:00 +0000",
      "message-id": "<msg_1@example.com>",
      "mime-version": "1.0",
      "content-type": "text/plain; charset=utf-8",
      "content-transfer-encoding": "base64",
      "auto-submitted": "auto-generated",
    });
    expect(body).toContain("The account Acme has $1.00 left. Its low-credit threshold is $5.00.");
    expect(body).toContain("https://t.example/alerts");
  });

  test.each(["Zoë’s “team” 😀".repeat(9), "a\r\nBcc: evil@example.com\r\n\r\n.\r\nQUIT", "=?utf-8?B?eA==?=", "x".repeat(400)])(
    "with the name %j is ASCII in short lines, and has no other header",
    (name) => {
      const text = messageWith(name);
      expect(text).toMatch(/^[\x20-\x7e\r\n]*$/);
      for (const line of text.split("\r\n")) expect(line.length).toBeLessThanOrEqual(78);
      const { headers, body } = parse(text);
      expect([headers.size, headers.has("bcc")]).toEqual([9, false]);
      const shown = name.replaceAll(/[\r\n]+/g, " ");
      expect(headers.get("subject")!.startsWith(`[Tollgate] Low credit: ${shown.slice(0, 100)}`)).toBe(true);
      expect(body).toContain(`Account: ${shown} (acme)`);
    },
  );
});

describe("the settings", () => {
  test("decide the port, the encryption and the credentials", () => {
    expect(settingsOf(`smtps://me%40x:${PASSWORD}@mail.example`)).toMatchObject({
      port: 465,
      encryption: "tls",
      credentials: { user: "me@x" },
    });
    expect(settingsOf("smtp://mail.example:2525")).toMatchObject({ port: 2525, encryption: "starttls", credentials: undefined });
    expect(settingsOf("smtp://[::1]")).toMatchObject({ hostname: "::1", port: 587, encryption: "none" });
    expect(settingsOf(`smtps://me:${PASSWORD}@mail.example`).credentials!.password.reveal()).toBe("p:a%ss");
  });

  test.each([
    ["https://mail.example", "a@example.com", /must be smtps:/],
    ["smtp://mail.example/path", "a@example.com", /must end with the host/],
    ["smtp://me@mail.example", "a@example.com", /both a user and a password/],
    ["smtp://me:100%@mail.example", "a@example.com", /write %25/],
    ["smtp://mail.example", "a@example.com>\r\nDATA", /must be an email address/],
    ["smtp://mail.example", "", /belong together, but TOLLGATE_SMTP_FROM is not set/],
  ])("%s from %j are rejected", (url, from, problem) => {
    expect(() => settingsOf(url, from)).toThrow(problem);
  });
});

describe.skipIf(openssl === undefined)("sends to a real server", () => {
  let folder: string;
  let ca: string;
  let tls: { cert: string; key: string };
  let server: TestMailServer | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-mail-"));
    const issuer = makeCertificate(folder, "issuer");
    const files = makeCertificate(folder, "mail", { names: "DNS:mail.test", issuer });
    ca = readFileSync(issuer.cert, "utf8");
    tls = { cert: readFileSync(files.cert, "utf8"), key: readFileSync(files.key, "utf8") };
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
    rmSync(folder, { recursive: true });
  });

  async function sendBy(
    scheme: string,
    host: string,
    options: MailServerOptions,
    more: SmtpOptions = {},
    to: readonly string[] = ALL,
  ): Promise<unknown> {
    server = await startMailServer(options);
    const mailer = new SmtpMailer(settingsOf(`${scheme}://${host}:${server.port}`), { lookup: async () => ["127.0.0.1"], ca, ...more });
    return mailer.send({ to, text: messageWith("Zoë") }, new AbortController().signal);
  }

  test.each([
    ["STARTTLS and AUTH PLAIN", "smtp", `me:${PASSWORD}@mail.test`, {}],
    ["TLS and AUTH LOGIN", "smtps", `me:${PASSWORD}@mail.test`, { isSecure: true, authMethods: ["LOGIN"] }],
  ])("by %s", async (_, scheme, host, options) => {
    expect(await sendBy(scheme, host, { ...options, tls })).toEqual({ status: 250, problem: null, retryAfterMs: null });
    expect(server!.received).toMatchObject([{ from: "tollgate@example.com", to: ALL, user: "me", isEncrypted: true }]);
    expect(parse(server!.received[0]!.text).headers.get("subject")).toBe("[Tollgate] Low credit: Zoë");
  });

  test("without encryption on this machine only", async () => {
    expect(await sendBy("smtp", "127.0.0.1", {})).toMatchObject({ problem: null });
    expect(server!.received).toMatchObject([{ isEncrypted: false, user: undefined }]);
    await server!.stop();
    expect(await sendBy("smtp", "mail.test", {})).toMatchObject({
      status: null,
      problem: expect.stringContaining("does not offer STARTTLS"),
    });
    expect(server!.received).toEqual([]);
  });

  test.each([
    ["a certificate of an unknown issuer", `me:${PASSWORD}@mail.test`, { ca: "" }, ALL, /certificate|issuer|TLS/i],
    ["a certificate for another name", `me:${PASSWORD}@other.test`, {}, ALL, /altname|other\.test|hostname/i],
    [
      "a wrong password, which is not repeated",
      "me:wrong-password@mail.test",
      {},
      ALL,
      /^The mail server replied 535 to the password: no: \[secret\]/,
    ],
    [
      "a rejected recipient",
      "mail.test",
      {},
      [...ALL, "nobody@example.com"],
      /replied 550 to the recipient nobody@example\.com: no such mailbox/,
    ],
    ["the metadata service of a cloud", "mail.test", { lookup: async () => ["169.254.169.254"] }, ALL, /never called/],
  ])("but not with %s", async (_, host, more, to, problem) => {
    const answer = (await sendBy(
      "smtp",
      host,
      { tls },
      "ca" in more ? { ca: readFileSync(makeCertificate(folder, "x").cert, "utf8") } : more,
      to,
    )) as {
      problem: string;
    };
    expect(answer.problem).toMatch(problem);
    expect([answer.problem.includes("wrong-password"), server!.received]).toEqual([false, []]);
  });
});

test("a server that babbles, hangs up or stays silent fails within the deadline", async () => {
  for (const [behave, problem] of [
    [(socket: { write(text: string): void }) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"), "it does not speak SMTP"],
    [(socket: { end(): void }) => socket.end(), "it closed the connection"],
    [() => undefined, "it did not reply in time"],
    [(socket: { write(text: string): void }) => socket.write(`220-${"x".repeat(70_000)}`), "its reply is too long"],
  ] as const) {
    const server: Server = createServer((socket) => {
      socket.on("error", () => undefined);
      (behave as (socket: unknown) => void)(socket);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as { port: number };
    const mailer = new SmtpMailer(settingsOf(`smtp://127.0.0.1:${port}`), { timeoutMs: problem.includes("in time") ? 50 : 60_000 });
    const answer = await mailer.send({ to: ALL, text: messageWith("x") }, new AbortController().signal);
    expect(answer).toMatchObject({ status: null, problem: `The mail server cannot be used: ${problem}` });
    server.close();
  }
});
