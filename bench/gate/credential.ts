import { CREDENTIAL, tollgate, type RunningTollgate } from "../systems/tollgate.ts";
import { must } from "./must.ts";
import { ask } from "./refusals.ts";

const STATUSES = [400, 401, 403, 404, 429, 500, 503];

/** An upstream may quote its credential in an error message. No client receives it. */
export async function credentialStaysHidden(): Promise<string> {
  let quoted = 0;
  const upstream = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const got = request.headers.get("authorization") ?? "";
      if (got.includes(CREDENTIAL)) quoted++;
      const { model } = (await request.json()) as { model: string };
      const error = { message: `Incorrect API key provided: ${got}`, param: got, code: got };
      return Response.json({ error }, { status: Number(model), headers: { "x-key": got, "www-authenticate": got } });
    },
  });
  const models = Object.fromEntries(STATUSES.map((status) => [`refuse-${status}`, String(status)]));
  const gateway = await tollgate.start({ upstream: { url: `http://127.0.0.1:${upstream.port}/v1` }, models });
  try {
    const { key } = await gateway.makeKey();
    for (const model of Object.keys(models)) await mustHide(gateway, key, model);
    must(quoted > 0, "the upstream never received the credential");
  } finally {
    await gateway.stop();
    await upstream.stop(true);
  }
  return `an upstream that repeats its credential in ${STATUSES.length} kinds of refusal: no caller has seen it`;
}

async function mustHide(gateway: RunningTollgate, key: string, model: string): Promise<void> {
  const response = await ask(gateway, key, model);
  const said = JSON.stringify([...response.headers]) + (await response.text());
  must(!response.ok && !said.includes(CREDENTIAL), `the caller has seen the credential of the provider: ${said}`);
}
