import { afterEach, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { chatBody, postChat } from "../money/post-chat.ts";
import { startProcesses, untilServing } from "../support/gateway/gateway-processes.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";

let gateway: RunningGateway;
afterEach(() => gateway.stop());

test.skipIf(process.platform !== "linux")("gateway processes do not inherit the operator token, nor another setting", async () => {
  const token = "operator-token-of-this-test";
  gateway = await startProcesses({
    env: { TOLLGATE_OPERATOR_TOKEN: token, TOLLGATE_SECRET: randomBytes(32).toString("hex"), OTHER: "passed on" },
  });
  for (const pid of await untilServing(gateway)) {
    const names = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    expect(names.filter((each) => each.startsWith("TOLLGATE_") || each.includes(token))).toEqual([]);
    expect(names).toContain("OTHER=passed on");
  }
  const { key } = await gateway.makeKey(["echo"]);
  expect((await postChat(gateway, key, chatBody("echo"))).status).toBe(200);
});
