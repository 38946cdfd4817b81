import { join } from "node:path";
import { ROOT } from "../../test/support/gateway/start-gateway.ts";
import { runWrk } from "../load/wrk.ts";
import { MODEL } from "../mock/answer.ts";
import { startJsonMock } from "../mock/json-mock.ts";
import { QUESTION } from "../question.ts";
import { jsonUpstream } from "../scenarios/json-load.ts";
import { tollgate, type RunningTollgate } from "../systems/tollgate.ts";
import { billedBy, mustBeBilledBetween } from "./billed.ts";
import { must } from "./must.ts";

const NOTHING = { requests: 0, promptTokens: 0, completionTokens: 0 };

/** `kill -9` under load: every response that a client has seen is charged once, and an audit of the ledger finds no difference. */
export async function crashLosesNothing(): Promise<string> {
  const mock = await startJsonMock();
  const wanted = jsonUpstream(mock);
  const first = await tollgate.start(wanted);
  const body = JSON.stringify({ model: MODEL, messages: QUESTION, max_tokens: 100 });
  const load = runWrk(first.target, { method: "POST", body, connections: 16, seconds: 4 });
  await Bun.sleep(2000);
  await first.crash();
  const [{ requests }, asked] = [await load, await mock.requests()];
  must(requests > 0, "nothing was answered before the crash");
  const second = await tollgate.start(wanted, { folder: first.folder });
  const billed = await billedBy(second);
  mustBeBilledBetween(NOTHING, billed, requests, asked);
  await mustAudit(second);
  await second.crash();
  const third = await tollgate.start(wanted, { folder: first.folder });
  must(Bun.deepEquals(await billedBy(third), billed), "another start has billed something more");
  await mustAudit(third);
  await third.stop();
  await mock.stop();
  return `kill -9 after ${requests} answers: none was lost or charged twice, and the audit of the ledger is clean`;
}

async function mustAudit({ folder, platformPort }: RunningTollgate): Promise<void> {
  const child = Bun.spawn([join(ROOT, "bin", "tollgate"), "audit"], {
    cwd: folder,
    env: { PATH: process.env["PATH"]!, TOLLGATE_PLATFORM_PORT: String(platformPort) },
    stdout: "pipe",
    stderr: "pipe",
  });
  const said = (await child.stdout.text()) + (await child.stderr.text());
  must((await child.exited) === 0, `the audit of the ledger failed: ${said}`);
}
