import { describe, expect, test } from "bun:test";
import type { LoggedRequestInFull, MirrorReport } from "../../platform-client/types.ts";
import { postFresh } from "../processes/post-fresh.ts";
import { idsIn, startFollower } from "../request-log/follower.ts";
import { answers, FlakyUpstream, hangs } from "../routes/flaky-upstream.ts";
import { routesConfig } from "../routes/routed-gateway.ts";
import { chatBody, type Reply } from "../money/post-chat.ts";
import { eventually } from "../support/eventually.ts";
import { startCluster } from "../support/gateway/start-cluster.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";

const REQUESTS = 8;

const idOf = ({ headers }: Reply): string => headers.get("x-request-id")!;

/** Requests are sent to the first gateway, and read from the last. */
interface Deployment {
  readonly gateways: readonly RunningGateway[];
  stop(): Promise<void>;
}

const DEPLOYMENTS: readonly (readonly [name: string, start: (yaml: string) => Promise<Deployment>])[] = [
  ["one process", (yaml) => alone(yaml, "1")],
  ["two gateway processes", (yaml) => alone(yaml, "2")],
  ...(hasPostgres ? [["two gateways on PostgreSQL", (yaml: string) => startCluster(2, { yaml })] as const] : []),
];

async function alone(yaml: string, processes: string): Promise<Deployment> {
  const gateway = await startGateway({ yaml, env: { TOLLGATE_PROCESSES: processes } });
  return { gateways: [gateway], stop: () => gateway.stop() };
}

describe.each(DEPLOYMENTS)("with %s", (_, start) => {
  test("results of mirrors are logged, and mirrors in flight do not keep it from stopping", async () => {
    const [serving, mirror] = [new FlakyUpstream("serving"), new FlakyUpstream("mirror")];
    const routes = [{ upstream: "serving", model: "m" }];
    const model = { id: "m", routes, mirror: { upstream: "mirror", model: "candidate", percent: 100 } };
    const deployment = await start(routesConfig([serving, mirror], [model]));
    const [first, last] = [deployment.gateways[0]!, deployment.gateways.at(-1)!];
    try {
      const { key } = await first.makeKey();
      for (let at = 0; at < REQUESTS; at++) expect((await postFresh(first, key, chatBody("m"))).status).toBe(200);
      const report = await eventually(
        () => last.platform<MirrorReport>("GET", "/api/models/m/mirror"),
        ({ requests }) => requests === REQUESTS,
      );
      expect(report).toMatchObject({ same_status: REQUESTS, same_finish_reason: REQUESTS, completion_token_ratio: 1 });
      const { data } = await eventually(
        () => last.platform<{ data: LoggedRequestInFull[] }>("GET", "/api/requests"),
        (log) => log.data.filter(({ mirror: logged }) => logged?.upstream === "mirror").length === REQUESTS,
      );
      expect(data).toHaveLength(REQUESTS);

      const followers = ["any", "different"].map((which) => startFollower(last, "--mirror", which, "--json"));
      const printed = (): string[][] => followers.map(({ lines }) => idsIn(lines()));
      await eventually(printed, ([any]) => any!.length === REQUESTS);
      const held = Promise.withResolvers<Response>();
      mirror.does = () => held.promise;
      const slow = await postFresh(first, key, chatBody("m"));
      await eventually(
        () => mirror.calls,
        (calls) => calls === REQUESTS + 1,
      );
      mirror.does = answers;
      const quick = await postFresh(first, key, chatBody("m"));
      // The cursor of the log has passed both requests by now.
      await eventually(printed, ([any]) => any!.includes(idOf(quick)));
      held.resolve(Response.json({ error: { message: "no" } }, { status: 400 }));
      await eventually(printed, ([any, different]) => any!.includes(idOf(slow)) && different!.length > 0);
      expect(printed()).toEqual([[...data.map(({ request_id: id }) => id).toReversed(), idOf(quick), idOf(slow)], [idOf(slow)]]);
      expect(await Promise.all(followers.map((follower) => follower.end()))).toEqual([0, 0]);

      mirror.does = hangs;
      const { status } = await postFresh(first, key, chatBody("m"));
      await eventually(
        () => mirror.calls,
        (calls) => calls === REQUESTS + 3,
      );
      expect(status).toBe(200);
      await first.end();
      expect(first.logLines().filter(({ level }) => level === "error")).toEqual([]);
      await eventually(
        () => mirror.requests.at(-1)!.signal.aborted,
        (isAborted) => isAborted,
      );
    } finally {
      await deployment.stop();
      await Promise.all([serving.stop(), mirror.stop()]);
    }
  });
});
