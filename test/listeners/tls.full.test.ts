import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { connect as connectPlain, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { loadConfig } from "../../src/config.ts";
import { findProgram } from "../clients/system-program.ts";
import { PASSWORD, tokenOf } from "../people/visitor.ts";
import { chatBody } from "../money/post-chat.ts";
import { eventually } from "../support/eventually.ts";
import { PROCESSES } from "../support/gateway/gateway-processes.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { greetingIn } from "../support/gateway/read-greeting.ts";
import { runTollgate } from "../support/gateway/run-tollgate.ts";
import { ROOT, startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { makeCertificate, openssl, type CertificateFiles } from "../support/tls/certificates.ts";
import {
  completion,
  configFor,
  events,
  GOOD_CHUNKS,
  manualStream,
  rawEvents,
  startMockUpstream,
} from "../support/upstreams/mock-upstream.ts";

const node = findProgram(["node"], "nodejs");
const curl = findProgram(["curl"], "curl");

describe.skipIf(!openssl)("TLS in several processes", () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-tls-"));
  chmodSync(folder, 0o755);
  const [cert, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  const env = {
    TOLLGATE_TLS_CERT: cert,
    TOLLGATE_TLS_KEY: key,
    TOLLGATE_PLATFORM_TLS_CERT: cert,
    TOLLGATE_PLATFORM_TLS_KEY: key,
  };
  let byHand = manualStream();
  const upstream = startMockUpstream({
    "up-chat": ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion())),
    "up-by-hand": () => {
      byHand = manualStream();
      return rawEvents(byHand.stream);
    },
  });
  let first: CertificateFiles;
  let second: CertificateFiles;
  let gateway: RunningGateway;
  let apiKey: string;
  let port: number;
  let trust: BunFetchRequestInit;

  beforeAll(async () => {
    const issuer = makeCertificate(folder, "issuer");
    [first, second] = [makeCertificate(folder, "first", { issuer }), makeCertificate(folder, "second", { issuer })];
    put(first, 0o644);
    trust = { tls: { ca: readFileSync(issuer.cert, "utf8") } };
    gateway = await startGateway({
      yaml: configFor(upstream.baseUrl, ["chat", "by-hand"]),
      env: { ...env, TOLLGATE_PROCESSES: String(PROCESSES) },
      connection: trust,
    });
    apiKey = (await gateway.makeKey()).key;
    port = Number(new URL(gateway.baseUrl).port);
  });
  afterAll(async () => {
    await gateway?.stop();
    await upstream.stop();
    rmSync(folder, { recursive: true });
  });

  function put(files: CertificateFiles, mode = 0o600): void {
    for (const [from, to] of [
      [files.cert, cert],
      [files.key, key],
    ] as const) {
      copyFileSync(from, `${to}.new`);
      chmodSync(`${to}.new`, mode);
      renameSync(`${to}.new`, to);
    }
  }

  function post(body: string, more: BunFetchRequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    return fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body, ...trust, ...more });
  }

  /** The status of a request, after credit and limits could be verified. */
  async function statusFor(more: BunFetchRequestInit = {}): Promise<number> {
    const { status } = await postUntilVerified(async () => {
      const response = await post(chatBody("chat"), more);
      return { status: response.status, headers: response.headers, text: await response.text() };
    });
    return status;
  }

  /** The name in the certificate of a new connection. */
  function subjectOf(): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on("error", reject);
    return promise;
  }

  /** The names for many connections, so that all processes accept some. */
  const subjects = async (): Promise<Set<string>> => new Set(await Promise.all(Array.from({ length: 4 * PROCESSES }, subjectOf)));

  /** Runs curl. Returns its exit code and its output. */
  async function runCurl(...args: string[]): Promise<[number, string]> {
    const child = Bun.spawn([curl!, "--silent", "--cacert", join(folder, "issuer.crt"), ...args], { stdout: "pipe", stderr: "ignore" });
    const output = await child.stdout.text();
    return [await child.exited, output];
  }

  test.skipIf(!node)("openai on Node has a completion and a stream", async () => {
    const script = `
      import OpenAI from "openai-6";
      const client = new OpenAI({ maxRetries: 0 });
      const messages = [{ role: "user", content: "Hello!" }];
      const whole = await client.chat.completions.create({ model: "chat", messages });
      const texts = [];
      for await (const chunk of await client.chat.completions.create({ model: "chat", messages, stream: true })) texts.push(chunk.choices[0].delta.content);
      console.log(JSON.stringify([whole.choices[0].message.content, texts.join("")]));`;
    const child = Bun.spawn([node!, "--input-type=module", "--eval", script], {
      cwd: ROOT,
      env: { OPENAI_BASE_URL: gateway.baseUrl, OPENAI_API_KEY: apiKey, NODE_EXTRA_CA_CERTS: join(folder, "issuer.crt") },
      stdout: "pipe",
      stderr: "inherit",
    });
    expect(JSON.parse(await child.stdout.text())).toEqual(["Hello world", "Hello world"]);
  });

  describe.skipIf(!curl)("curl", () => {
    const CURL_RESULTS = { ok: 0, badHandshake: 35, emptyReply: 52 };

    test("is served with TLS 1.2 and 1.3, and not with TLS 1.1", async () => {
      const url = gateway.baseUrl.replace("/v1", "/healthz");
      for (const version of ["1.2", "1.3"]) {
        expect(await runCurl("--tls-max", version, url)).toEqual([CURL_RESULTS.ok, '{"status":"ok"}']);
      }
      expect(await runCurl("--tls-max", "1.1", url)).toEqual([CURL_RESULTS.badHandshake, ""]);
    });

    test("in plain HTTP has its connection closed", async () => {
      expect(await runCurl(gateway.baseUrl.replace("https:", "http:"))).toEqual([CURL_RESULTS.emptyReply, ""]);
    });
  });

  test("the printed URLs have https, and cookies are secure; localhost has no HSTS, which is for all ports of a name", async () => {
    expect([gateway.baseUrl, gateway.platformUrl, gateway.signInUrl].map((url) => new URL(url!).protocol)).toEqual(Array(3).fill("https:"));
    const body = JSON.stringify({ token: tokenOf(gateway.signInUrl!), email: "ada@example.test", name: "Ada", password: PASSWORD });
    const headers = { "content-type": "application/json", "x-tollgate-request": "page", origin: gateway.platformUrl };
    const accepted = await fetch(`${gateway.platformUrl}/api/invitations/accept`, { method: "POST", headers, body, ...trust });
    expect([accepted.status, accepted.headers.has("strict-transport-security")]).toEqual([200, false]);
    expect(accepted.headers.getSetCookie()[0]).toMatch(/^__Host-tollgate=\S+; Secure; Path=\/; HttpOnly; SameSite=Lax; /);
  });

  test("a key that every user can read is logged", async () => {
    const warnings = await eventually(
      () => gateway.logLines().filter(({ event }) => event === "tls_warning"),
      (lines) => lines.length === 2,
    );
    const message = `_TLS_KEY: ${key} can be read by every user of this machine`;
    expect(warnings.map((line) => line["message"])).toEqual([`TOLLGATE${message}`, `TOLLGATE_PLATFORM${message}`]);
  });

  test("the command line trusts the platform's certificate, and no other", async () => {
    expect(await runTollgate(gateway, ["keys", "list"], { env })).toMatchObject({ code: 0 });
    const other = { ...env, TOLLGATE_PLATFORM_TLS_CERT: second.cert, TOLLGATE_PLATFORM_TLS_KEY: second.key };
    const refused = await runTollgate(gateway, ["keys", "list"], { env: other });
    // A health check does not verify certificates.
    const health = await runTollgate(gateway, ["health"], {
      env: { ...other, TOLLGATE_TLS_CERT: second.cert, TOLLGATE_PORT: String(port) },
    });
    expect(health.stdout).toBe(`${gateway.baseUrl.replace("/v1", "/healthz")} is healthy.\n`);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`no gateway is reachable at ${gateway.platformUrl}`)]);
  });

  test("a renewal under load fails no request, is in force in all processes, and leaves streams alone", async () => {
    const before = upstream.requests.length;
    const streaming = post(chatBody("by-hand", { stream: true }));
    await eventually(
      () => upstream.requests.length,
      (made) => made > before,
    );
    byHand.write(`data: ${GOOD_CHUNKS[1]}\n\n`);
    const stream = await streaming;
    const over = new AbortController();
    const failures: string[] = [];
    let answered = 0;
    const callers = Array.from({ length: 4 }, async (_, at) => {
      while (!over.signal.aborted) {
        const outcome = await statusFor({ keepalive: at % 2 === 0 }).then(
          (status) => (status === 200 ? undefined : String(status)),
          String,
        );
        if (outcome === undefined) answered++;
        else failures.push(outcome);
      }
    });
    for (const [files, name] of [
      [second, "second"],
      [first, "first"],
    ] as const) {
      put(files);
      await eventually(subjects, (seen) => seen.size === 1 && seen.has(name));
    }
    await eventually(
      () => answered,
      (count) => count > 20,
    );
    over.abort();
    await Promise.all(callers);
    for (const chunk of GOOD_CHUNKS.slice(2)) byHand.write(`data: ${chunk}\n\n`);
    byHand.end();
    expect(await stream.text()).toEndWith("data: [DONE]\n\n");
    expect(failures).toEqual([]);
  });

  test("a broken pair is logged, and the previous one stays in force, also in a process that is started then", async () => {
    const rejections = (): number => gateway.logLines().filter(({ event }) => event === "tls_rejected").length;
    const before = rejections();
    copyFileSync(second.cert, cert);
    // One rejection per listener.
    await eventually(rejections, (count) => count >= before + 2);
    process.kill(gateway.pid, "SIGUSR2");
    await eventually(
      () => gateway.logLines(),
      (lines) => lines.some(({ event }) => event === "processes_restarted"),
    );
    expect(await subjectOf()).toBe("first");
    expect(await statusFor()).toBe(200);
    // A signal makes the gateway read the files at once.
    put(second);
    process.kill(gateway.pid, "SIGHUP");
    await eventually(subjectOf, (name) => name === "second");
  });
});

describe.skipIf(!openssl)("TLS in a single process", () => {
  test.skipIf(!curl)("the printed request works with a certificate that is its own issuer", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-tls-"));
    const { cert, key } = makeCertificate(folder, "own");
    const env = { TOLLGATE_TLS_CERT: cert, TOLLGATE_TLS_KEY: key };
    let reply = "";
    const greeting = await greetingIn(folder, env, async (text) => {
      const [command] = /^curl [^]+?\n(?=\n)/m.exec(text)!;
      reply = await Bun.spawn(["sh", "-c", command], { stdout: "pipe", stderr: "ignore" }).stdout.text();
    });
    expect(greeting).toContain(`curl --cacert ${cert} https://127.0.0.1:`);
    expect(reply).toContain("You said: Hello!");
    rmSync(folder, { recursive: true });
  });

  test("a handshake that is never completed times out after 30 seconds, however slowly it goes on", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-tls-"));
    const { cert, key } = makeCertificate(folder, "own");
    const gateway = await startGateway({
      env: { TOLLGATE_TLS_CERT: cert, TOLLGATE_TLS_KEY: key },
      connection: { tls: { ca: readFileSync(cert, "utf8") } },
    });
    const open = async (): Promise<Socket> => {
      const socket = connectPlain({ port: Number(new URL(gateway.baseUrl).port), host: "127.0.0.1" });
      await new Promise((resolve) => socket.on("connect", resolve));
      return socket.on("data", () => undefined).on("error", () => undefined);
    };
    const [silent, slow] = [await open(), await open()];
    // The header of a TLS record of 512 bytes, and the first bytes of the record.
    const hello = Buffer.concat([Buffer.from([22, 3, 1, 2, 0]), Buffer.alloc(512)]);
    let sent = 0;
    const drip = setInterval(() => slow.write(hello.subarray(sent, ++sent)), 1000);
    await eventually(
      () => [silent.closed, slow.closed],
      (closed) => !closed.includes(false),
    );
    clearInterval(drip);
    // Counts the connections that are closed after 60 seconds because they have not sent a valid key.
    const headers = { authorization: `Bearer ${gateway.operatorToken}` };
    const metrics = await (await fetch(`${gateway.platformUrl}/metrics`, { headers })).text();
    const [, count] = /^tollgate_connections_closed_total\{listener="gateway",reason="unauthenticated"\} (\d+)$/m.exec(metrics)!;
    expect(count).toBe("0");
    await gateway.stop();
    rmSync(folder, { recursive: true });
  });

  test("a public URL without TLS is refused", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-tls-"));
    const { cert, key } = makeCertificate(folder, "own");
    const of = (prefix: string): Record<string, string> => ({ [`${prefix}TLS_CERT`]: cert, [`${prefix}TLS_KEY`]: key });
    const refusals = await Promise.allSettled([
      loadConfig({ ...of("TOLLGATE_"), TOLLGATE_GATEWAY_URL: "http://localhost:8700" }),
      loadConfig({ ...of("TOLLGATE_PLATFORM_"), TOLLGATE_PLATFORM_URL: "http://localhost:8701" }),
      loadConfig({ ...of("TOLLGATE_PLATFORM_"), TOLLGATE_PLATFORM_URL: "https://localhost:8701" }),
    ]);
    expect(refusals.map((each) => (each.status === "rejected" ? (each.reason as Error).message : "accepted"))).toEqual([
      "TOLLGATE_GATEWAY_URL is an http:// URL, but TOLLGATE_TLS_CERT is set: it must be https://",
      "TOLLGATE_PLATFORM_URL is an http:// URL, but TOLLGATE_PLATFORM_TLS_CERT is set: it must be https://",
      "accepted",
    ]);
    rmSync(folder, { recursive: true });
  });
});
