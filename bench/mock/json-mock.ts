import { LOAD_CORES } from "../machine/cores.ts";
import { freePort } from "../machine/free-port.ts";
import { startNginx } from "../machine/nginx.ts";
import type { Upstream } from "../systems/system.ts";
import { answerAs, UPSTREAM_MODEL } from "./answer.ts";

export interface JsonMock {
  readonly pid: number;
  readonly upstream: Upstream;
  readonly port: number;
  /** The number of requests that the upstream has received. */
  requests(): Promise<number>;
  stop(): Promise<void>;
}

export interface Certificate {
  /** The certificate authority. */
  readonly authority: string;
  readonly cert: string;
  readonly key: string;
}

/** An upstream of nginx with one static response, so that it is never the bottleneck. With a certificate it uses TLS. */
export async function startJsonMock(tls?: Certificate): Promise<JsonMock> {
  const [port, countPort] = [await freePort(), await freePort()];
  const listen = tls
    ? `listen 127.0.0.1:${port} ssl; ssl_certificate ${tls.cert}; ssl_certificate_key ${tls.key}; ssl_protocols TLSv1.3;`
    : `listen 127.0.0.1:${port};`;
  const nginx = await startNginx(
    LOAD_CORES,
    port,
    `server { ${listen} location / { default_type application/json; return 200 '${answerAs(UPSTREAM_MODEL)}'; } }
     server { listen 127.0.0.1:${countPort}; location / { stub_status; } }`,
  );
  let asked = 0;
  return {
    pid: nginx.pid,
    port,
    upstream: tls ? { url: `https://127.0.0.1:${port}/v1`, authority: tls.authority } : { url: `http://127.0.0.1:${port}/v1` },
    async requests() {
      const text = await (await fetch(`http://127.0.0.1:${countPort}/`)).text();
      asked++;
      // nginx counts the status requests too.
      return Number(/ \d+ \d+ (\d+)/.exec(text)?.[1]) - asked;
    },
    stop: () => nginx.stop(),
  };
}
