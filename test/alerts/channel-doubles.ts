import Ajv from "ajv";

type Schema = Readonly<Record<string, unknown>>;

const ajv = new Ajv({ allowUnionTypes: true });

/** Doubles of chat services and a pager on loopback. They accept exactly the documented format, and respond like the services. */
export interface ChannelDoubles {
  readonly origin: string;
  /** The accepted messages, and the reasons for the rejected ones. */
  readonly accepted: { readonly path: string; readonly body: unknown }[];
  readonly rejected: string[];
  stop(): Promise<void>;
}

function strict(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", additionalProperties: false, required, properties };
}

const one = (value: string): Schema => ({ type: "string", enum: [value] });
const text = (maxLength: number): Schema => ({ type: "string", minLength: 1, maxLength });
const plain = (maxLength: number): Schema => strict({ type: one("plain_text"), text: text(maxLength), emoji: { type: "boolean" } });

/** https://docs.slack.dev/reference/block-kit/blocks */
const SLACK = strict({
  text: text(40_000),
  blocks: {
    type: "array",
    minItems: 1,
    maxItems: 50,
    items: {
      oneOf: [
        strict({ type: one("header"), text: plain(150) }),
        strict({ type: one("section"), text: plain(3000) }),
        strict({ type: one("section"), fields: { type: "array", minItems: 1, maxItems: 10, items: plain(2000) } }),
        strict({
          type: one("actions"),
          elements: { type: "array", items: strict({ type: one("button"), text: plain(75), url: text(3000) }) },
        }),
      ],
    },
  },
});

/** https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook and https://adaptivecards.io/explorer */
const TEXT_BLOCK = strict(
  {
    type: one("TextBlock"),
    text: text(10_000),
    size: { type: "string", enum: ["default", "small", "medium", "large", "extraLarge"] },
    weight: { type: "string", enum: ["default", "lighter", "bolder"] },
    color: { type: "string", enum: ["default", "dark", "light", "accent", "good", "warning", "attention"] },
    wrap: { type: "boolean" },
  },
  ["size", "weight", "color", "wrap"],
);
const FACT = strict({ title: text(10_000), value: text(10_000) });
const CARD = strict(
  {
    $schema: one("http://adaptivecards.io/schemas/adaptive-card.json"),
    type: one("AdaptiveCard"),
    version: { type: "string", enum: ["1.0", "1.1", "1.2", "1.3", "1.4", "1.5"] },
    body: {
      type: "array",
      items: { oneOf: [TEXT_BLOCK, strict({ type: one("FactSet"), facts: { type: "array", minItems: 1, items: FACT } })] },
    },
    actions: { type: "array", items: strict({ type: one("Action.OpenUrl"), title: text(100), url: text(2000) }) },
    msteams: strict({ width: one("Full") }),
  },
  ["actions"],
);
const ATTACHMENT = strict({
  contentType: one("application/vnd.microsoft.card.adaptive"),
  contentUrl: { type: "null" },
  content: CARD,
});
const TEAMS = strict({ type: one("message"), attachments: { type: "array", minItems: 1, maxItems: 1, items: ATTACHMENT } });

/** https://docs.discord.com/developers/resources/webhook#execute-webhook */
const EMBED = strict(
  {
    title: text(256),
    description: text(4096),
    url: text(2000),
    color: { type: "integer", minimum: 0, maximum: 0xff_ff_ff },
    timestamp: { type: "string" },
    fields: { type: "array", maxItems: 25, items: strict({ name: text(256), value: text(1024), inline: { type: "boolean" } }) },
  },
  ["url"],
);
const DISCORD = strict({
  embeds: { type: "array", minItems: 1, maxItems: 10, items: EMBED },
  allowed_mentions: strict({ parse: { type: "array", maxItems: 0, items: { type: "string" } } }),
});

/** https://developer.pagerduty.com/docs/send-alert-event */
const ROUTED = {
  routing_key: { type: "string", pattern: "^[0-9A-Za-z]{32}$" },
  dedup_key: text(255),
  client: { type: "string" },
  client_url: { type: "string" },
} as const satisfies Record<string, Schema>;
const PAGERDUTY: Schema = {
  oneOf: [
    strict({ ...ROUTED, event_action: { type: "string", enum: ["resolve", "acknowledge"] } }, ["client", "client_url"]),
    strict(
      {
        ...ROUTED,
        event_action: one("trigger"),
        payload: strict({
          summary: text(1024),
          source: text(1000),
          severity: { type: "string", enum: ["critical", "error", "warning", "info"] },
          timestamp: { type: "string" },
          class: { type: "string" },
          custom_details: { type: "object" },
        }),
      },
      ["client", "client_url"],
    ),
  ],
};

const SERVICES: Readonly<Record<string, { schema: Schema; status: number }>> = {
  "/slack/secret-path": { schema: SLACK, status: 200 },
  "/teams?sig=secret-query": { schema: TEAMS, status: 202 },
  "/discord/secret-path": { schema: DISCORD, status: 204 },
  "/v2/enqueue": { schema: PAGERDUTY, status: 202 },
};

export function startChannelDoubles(): ChannelDoubles {
  const accepted: { path: string; body: unknown }[] = [];
  const rejected: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const path = pathname + search;
      const service = SERVICES[path];
      const body: unknown = await request.json();
      const violation = service ? ajv.validate(service.schema, body) || ajv.errors : `nothing at ${path}`;
      if (violation !== true || request.headers.get("content-type") !== "application/json") {
        rejected.push(JSON.stringify(violation));
        return new Response("invalid_payload", { status: 400 });
      }
      accepted.push({ path, body });
      return new Response(null, { status: service!.status });
    },
  });
  return { origin: server.url.origin, accepted, rejected, stop: () => server.stop(true) };
}
