import { readAll } from "../../list-command.ts";
import type { UpstreamView } from "./upstream-views.ts";
import { listUpstreams } from "./list-upstreams.ts";

/** Asks for something of each upstream, one after the other, by its id. */
export async function ofEveryUpstream<Answer>(ask: (id: string) => Promise<Answer>): Promise<Answer[]> {
  const { data } = await readAll<UpstreamView>(listUpstreams, { operands: [] });
  const answers: Answer[] = [];
  for (const { id } of data) answers.push(await ask(id));
  return answers;
}
