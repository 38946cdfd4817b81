import { afterAll, beforeAll, expect, test } from "bun:test";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { runInTerminal } from "./in-terminal.ts";
import { commandRunner } from "./command-runner.ts";

let gateway: RunningGateway;
let keyId: string;
const keyName = "my application";

beforeAll(async () => {
  gateway = await startGateway();
  const { id, key } = await gateway.makeKey(undefined, { name: keyName });
  keyId = id;
  const body = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "one two three" }] });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  for (let time = 0; time < 3; time++) {
    expect((await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body })).status).toBe(200);
  }
});
afterAll(() => gateway.stop());

test("a report names its time zone: the machine's, or another", async () => {
  const tollgate = commandRunner(gateway);
  const here = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  expect(await tollgate.text("usage --by day,key")).toMatch(
    new RegExp(
      `^DAY +KEY +KEY ID +REQUESTS .*\\n\\d{4}-\\d\\d-\\d\\d \\(partial\\) +${keyName} +${keyId} +3 [^]*\\n\\nTotal: 3 requests, \\$0\\.0\\d+, from .*, ${here}\\.\\n$`,
    ),
  );
  const elsewhere = await tollgate.text("usage --by hour --zone Asia/Kathmandu");
  expect(elsewhere).toMatch(/^HOUR .*\n\d{4}-\d\d-\d\dT\d\d:00\+05:45 \(partial\) /);
  expect(elsewhere).toContain(", Asia/Kathmandu.\n");
  expect(await tollgate.json<object>("usage --zone Asia/Kathmandu --chart")).toMatchObject({
    zone: "Asia/Kathmandu",
    total: { requests: 3 },
  });
  const wrong = await tollgate.run("usage --zone Europe/Atlantis");
  expect([wrong.code, wrong.stderr]).toEqual([1, "tollgate: --zone must be the name of a time zone, such as Europe/Berlin.\n"]);
});

test("a chart has every day or the length of a gap, fits the terminal, and is plain text", async () => {
  for (const columns of [40, 80, 120]) {
    const { code, screen } = await runInTerminal(gateway, ["usage", "--by", "day,model", "--chart"], columns);
    const lines = screen.split("\n");
    expect([code, screen.includes("\u001b"), lines.filter((line) => Bun.stringWidth(line) > columns)]).toEqual([0, false, []]);
    const bars = lines.filter((line) => line.includes("▕"));
    expect([bars.length, lines.filter((line) => line.trim() === "… 29 days without requests").length]).toEqual([1, 1]);
    expect(bars.at(-1)).toMatch(/█+ 0\.0\d+ \(partial\)$/);
    expect(screen).toMatch(/\n██ {2}echo {2}0\.0\d+\n/);
    expect(screen.replaceAll("\n", " ")).toContain("Total: 3 requests, ");
  }
  expect(await commandRunner(gateway).text("usage --chart")).toMatch(/^Dollars by model\n\necho ▕█+ 0\.0\d+\n\nTotal: 3 requests, /);
  const { code, stderr } = await commandRunner(gateway).run("usage --chart --limit 3");
  expect([code, stderr]).toEqual([2, expect.stringContaining("--chart draws the whole range") as string]);
});

test("a table in a narrow terminal keeps the names of its groups", async () => {
  const widths = [200, 70];
  const screens = await Promise.all(widths.map((columns) => runInTerminal(gateway, ["usage", "--by", "key,model"], columns)));
  const heads = screens.map(({ screen }) => screen.split("\n")[0]!.trim().split(/ {2,}/));
  expect(heads.map((head) => head.includes("KEY ID"))).toEqual([true, false]);
  for (const { screen } of screens) expect(screen.split("\n")[1]).toMatch(new RegExp(`^${keyName} .*echo `));
});

test("the highest cost comes first, except by time, for programs and with --all", async () => {
  await gateway.platform("POST", "/api/models", {
    id: "a-cheap-model",
    routes: [{ upstream: "echo", model: "echo" }],
    price: { input_per_million: 0.01, output_per_million: 0.01 },
  });
  const { key } = await gateway.makeKey(["a-cheap-model"]);
  const body = JSON.stringify({ model: "a-cheap-model", messages: [{ role: "user", content: "one two three" }] });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  expect((await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body })).status).toBe(200);
  const tollgate = commandRunner(gateway);
  const modelsOf = async (line: string): Promise<string[]> =>
    [...(await tollgate.text(line)).matchAll(/^(echo|a-cheap-model) /gm)].map(([, model]) => model!);
  expect(await modelsOf("usage")).toEqual(["echo", "a-cheap-model"]);
  expect(await modelsOf("usage --all")).toEqual(["a-cheap-model", "echo"]);
  expect(await modelsOf("usage --order name")).toEqual(["a-cheap-model", "echo"]);
  const { data } = await tollgate.json<{ data: { model: string }[] }>("usage");
  expect(data.map(({ model }) => model)).toEqual(["a-cheap-model", "echo"]);
  expect(await tollgate.text("usage --limit 1")).toMatch(
    /^MODEL .*\necho .*\n\nTotal: .*\nLimited to 1 row with the highest cost; --all lists all rows, by name\.\n$/,
  );
  expect(await tollgate.text("usage --by day,model")).not.toContain("highest cost");
  expect(await tollgate.text("usage --model gone")).toStartWith("No usage matches --model gone.\n\nTotal: 0 requests");
  expect(await tollgate.text("margin")).toMatch(/^MODEL +REQUESTS +CHARGED \(\$\) +UNKNOWN +COST \(\$\) +MARGIN \(\$\)\n/);
  expect(await tollgate.text("margin")).toMatch(/Total: 4 requests, charged \$\S+, no upstream cost is known/);
  const impossible = await tollgate.run("usage --since 2026-02-30");
  expect([impossible.code, impossible.stderr]).toEqual([
    2,
    expect.stringContaining("--since is 2026-02-30, which does not exist") as string,
  ]);
  const nobody = await tollgate.run("end-users export default nobody");
  expect(nobody).toMatchObject({ code: 0, stdout: "", stderr: "tollgate: nothing is stored of this end user\n" });
});
