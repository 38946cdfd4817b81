import { afterAll, beforeAll, expect, test } from "bun:test";
import { ALERT_KINDS, makeAlert } from "../../src/alerts/alert.ts";
import type { ChannelKind } from "../../src/alerts/channel-kind.ts";
import { makeWebhook, type Webhook } from "../../src/alerts/webhook.ts";
import { startChannelDoubles, type ChannelDoubles } from "./channel-doubles.ts";
import { CHANGE, ClockedAlerts } from "./clocked-alerts.ts";

const ROUTING_KEY = "0123456789abcdef0123456789ABCDEF";
/** A name that an attacker might choose: mentions and links of each service, and a line break. */
const EVIL = "<!channel> <@U1> @everyone [x](https://evil.example) *b* {{DATE(2027-01-01T00:00:00Z)}} <b>&amp;";

let doubles: ChannelDoubles;
let alerts: ClockedAlerts;
let channels: Readonly<Record<"slack" | "teams" | "discord" | "pagerduty", Webhook>>;

beforeAll(async () => {
  doubles = startChannelDoubles();
  alerts = await ClockedAlerts.open();
  channels = {
    slack: await add("slack", "/slack/secret-path"),
    teams: await add("teams", "/teams?sig=secret-query"),
    discord: await add("discord", "/discord/secret-path"),
    pagerduty: await add("pagerduty", "/v2/enqueue"),
  };
});
afterAll(async () => {
  await alerts.stop();
  await doubles.stop();
});

async function add(kind: ChannelKind, path: string): Promise<Webhook> {
  const wanted = { kind, name: kind, url: `${doubles.origin}${path}`, routingKey: kind === "pagerduty" ? ROUTING_KEY : undefined };
  const webhook = makeWebhook({ ...wanted, allowPrivate: true, kinds: null, paused: null }, alerts.clock.nowMs);
  await alerts.stores.webhooks.update(webhook.id, () => ({ record: webhook, change: CHANGE }));
  return webhook;
}

const idsOf = (): string[] => Object.values(channels).map(({ id }) => id);

function receivedAt(path: string): unknown[] {
  return doubles.accepted
    .splice(0)
    .filter((each) => each.path === path)
    .map(({ body }) => body);
}

test("the secrets of channels are stored encrypted, and shown nowhere", () => {
  const shown = JSON.stringify(Object.values(channels).map(({ url }) => url));
  expect(shown).toContain("/…");
  expect(shown).not.toMatch(/secret-/);
  expect(JSON.stringify(channels)).not.toContain(ROUTING_KEY);
});

test("every service accepts the test message and every kind of alert, with names as long and as bad as can be", async () => {
  for (const channel of Object.values(channels))
    expect((await alerts.deliverer.sendTest(channel)).attempts).toMatchObject([{ problem: null }]);
  for (const name of [EVIL, `${"<&*".repeat(33)}😀`]) {
    const account = { id: "acme", name };
    const data = {
      scope: "key",
      account,
      key: { id: "k", name },
      upstream: "u_1",
      upstream_model: `m*${name}`,
      model: name,
      failure: name,
    };
    const many = Array.from({ length: 500 }, (_, at) => `model-${at}`);
    const found = ALERT_KINDS.map((kind) => ({
      subject: `${kind} ${name}`,
      mark: undefined,
      alert: makeAlert(kind, { ...data, models: many }, alerts.clock.nowMs),
      webhookIds: idsOf(),
    }));
    await alerts.stores.alerts.raise(found, alerts.clock.nowMs);
    for (let round = 0; round < 3; round++) await alerts.deliverer.sendDue();
  }
  expect([doubles.rejected, await alerts.stores.alerts.countPending()]).toEqual([[], 0]);
});

test("a name mentions nobody, links to nothing, and is shown as it is", async () => {
  doubles.accepted.length = 0;
  const alert = makeAlert("credit.low", { account: { id: "acme", name: EVIL }, credit: "1.00", low_credit: "5.00" }, alerts.clock.nowMs);
  await alerts.stores.alerts.raise([{ subject: "evil", mark: undefined, alert, webhookIds: idsOf() }], alerts.clock.nowMs);
  await alerts.deliverer.sendDue();
  const sent = new Map(doubles.accepted.splice(0).map(({ path, body }) => [path.split(/[/?]/)[1], JSON.stringify(body)]));
  expect(sent.get("slack")).toContain("Low credit: &lt;!channel&gt; &lt;@U1&gt; @everyone");
  expect(sent.get("slack")).not.toMatch(/<|mrkdwn/);
  for (const name of ["teams", "discord"]) {
    const raw = sent.get(name)!.replaceAll(/"(url|\$schema)":"[^"]*"/g, "");
    // In JSON, a backslash is written as two.
    expect(raw).toContain(String.raw`\\<!channel\\> \\<@U1\\> @everyone \\[x\\](https://evil.example) \\*b\\* \\{\\{DATE`);
    expect(raw).not.toMatch(/[^\\][<*[]\w/);
  }
  expect(sent.get("v2")).toContain("has $1.00 left");
});

test("a pager gets one incident for each alert, which is resolved when its condition ends", async () => {
  await alerts.grant("30");
  await alerts.spend("30");
  await alerts.watcher.evaluate();
  await alerts.deliverer.sendDue();
  const [trigger] = receivedAt("/v2/enqueue");
  const [raised] = await alerts.stores.raisedAlerts.list({ kind: "credit.low", accountId: "default" }, undefined, 1);
  expect(trigger).toMatchObject({
    routing_key: ROUTING_KEY,
    event_action: "trigger",
    dedup_key: raised!.id,
    payload: { severity: "warning", class: "credit.low", custom_details: { account: { id: "default" } } },
  });
  await alerts.grant("30");
  // The next sweep finds the account without new spend.
  for (let round = 0; round < 3; round++) await alerts.watcher.evaluate();
  await alerts.deliverer.sendDue();
  expect(receivedAt("/v2/enqueue")).toEqual([
    { routing_key: ROUTING_KEY, client: "Tollgate", event_action: "resolve", dedup_key: raised!.id },
  ]);
});

test("a pager learns that an upstream is restored by resolving its incident, and a chat in words", async () => {
  const route = { upstreamModel: "m", probeDueInMs: 0, inFlight: 0, latencyMs: undefined };
  const { stores, clock } = alerts;
  const found = (kind: "upstream.ejected" | "upstream.restored", value: string) => ({
    subject: "route u m",
    mark: { value, atMs: clock.nowMs },
    alert: makeAlert(kind, { upstream: "u", upstream_model: route.upstreamModel, models: [] }, clock.nowMs),
  });
  for (const [kind, value] of [
    ["upstream.ejected", "out"],
    ["upstream.restored", "in"],
  ] as const) {
    const webhookIds = kind === "upstream.ejected" ? idsOf() : [channels.slack.id];
    await stores.alerts.raise([{ ...found(kind, value), webhookIds }], clock.nowMs, () => [channels.pagerduty.id]);
    await alerts.deliverer.sendDue();
  }
  const bodies = doubles.accepted.splice(0);
  const actions = bodies.flatMap(({ body }) => (body as { event_action?: string }).event_action ?? []);
  expect(actions).toEqual(["trigger", "resolve"]);
  expect(JSON.stringify(bodies)).toContain("Upstream restored: m at u");
});
