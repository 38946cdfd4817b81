import { CommandFailed } from "../../command.ts";
import { asJson } from "../../output.ts";
import type { Fields } from "../../platform-command.ts";
import type { Print, RequestPage } from "./request-page.ts";

const POLL_MS = 1000;
const LARGEST_PAGE = 1000;

/** What passes while a gateway is started anew. Anything else is for whoever has called us. */
const PASSING = new Set(["no_gateway", "overloaded", "internal_error"]);

/**
 * Prints what comes, until Ctrl-C or until nobody reads it. It goes by the place in the log up to which it has printed, which
 * outlives the gateway: so nothing is missed and nothing doubled when that is started anew.
 */
export async function follow(
  read: (fields: Fields) => Promise<RequestPage>,
  start: string | null,
  print: Print,
  json: boolean,
): Promise<void> {
  process.on("SIGINT", () => process.exit(0));
  let cursor = start;
  for (;;) {
    const fields = { order: "oldest", limit: LARGEST_PAGE, ...(cursor !== null && { cursor }) };
    const { data, next, newer } = await withBusyTimeout(() => read(fields), json);
    if (data.length > 0 && !(await print(data))) return;
    cursor = newer ?? cursor;
    if (next === null) await Bun.sleep(POLL_MS);
  }
}

/** Waits for a gateway that does not answer, and says so once. */
async function withBusyTimeout<T>(call: () => Promise<T>, json: boolean): Promise<T> {
  for (let isTold = false; ;) {
    try {
      const answer = await call();
      if (isTold) tell("gateway_back", "the gateway answers again", json);
      return answer;
    } catch (error) {
      if (!(error instanceof CommandFailed) || !PASSING.has(error.problem.code ?? "")) throw error;
      if (!isTold) tell("waiting", "the gateway does not answer; waiting for it", json);
      isTold = true;
      await Bun.sleep(POLL_MS);
    }
  }
}

function tell(code: string, detail: string, json: boolean): void {
  process.stderr.write(json ? asJson({ code, detail, param: null }) : `tollgate: ${detail}\n`);
}
