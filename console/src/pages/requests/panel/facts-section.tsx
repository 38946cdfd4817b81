import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { LoggedRequestInFull } from "../../../../../platform-client/types.ts";
import { Mono } from "../../../parts/code.tsx";
import { CopyIcon } from "../../../parts/copy.tsx";
import { Facts } from "../../../parts/facts.tsx";
import { bytes, duration, endpointLabel, moment } from "../../../parts/format/format.ts";
import { textLink } from "../../../parts/text-link.ts";
import { PanelSection } from "./panel-section.tsx";

export function FactsSection({ request }: { readonly request: LoggedRequestInFull }): ReactNode {
  const { account, first_token_ms: firstMs, overhead_ms: overheadMs, client, trace_id: traceId } = request;
  return (
    <PanelSection title="Request">
      <Facts
        facts={[
          ["Model", <ModelFact key="model" model={request.model} />],
          request.answered_by === null ? undefined : ["Answered by", <ModelFact key="answered-by" model={request.answered_by} />],
          ["Key", <KeyFact key="key" id={request.key} name={request.key_name} />],
          account === null ? undefined : ["Account", <AccountFact key="account" account={account} />],
          request.user === null ? undefined : ["End user", <NameFact key="user" request={request} name="user" />],
          request.conversation === null
            ? undefined
            : ["Conversation", <NameFact key="conversation" request={request} name="conversation" />],
          Object.keys(request.tags).length === 0 ? undefined : ["Tags", formatTags(request.tags)],
          request.upstream == null
            ? undefined
            : ["Upstream", <UpstreamFact key="upstream" upstream={request.upstream} from_cache={request.from_cache} />],
          ["Started", <Moment key="started" at={request.started_at} />],
          ["Ended", <Moment key="ended" at={request.ended_at} />],
          ["Duration", duration(request.duration_ms)],
          firstMs === null ? undefined : ["Time to first token", duration(firstMs)],
          overheadMs === null ? undefined : ["Gateway overhead", duration(overheadMs)],
          ["Endpoint", endpointLabel(request.endpoint)],
          ["Response", request.stream ? "stream" : "JSON"],
          ["Size", `${bytes(request.request_bytes)} request, ${bytes(request.reply_bytes)} response`],
          client === null ? undefined : ["Client", client],
          traceId == null ? undefined : ["Trace ID", <Copyable key="trace" text={traceId} />],
        ]}
      />
    </PanelSection>
  );
}

function ModelFact({ model }: Pick<LoggedRequestInFull, "model">): ReactNode {
  if (model === null) return null;
  return (
    <Link to="/models/$id" params={{ id: model }} className={textLink}>
      {model}
    </Link>
  );
}

function KeyFact({ id, name }: { readonly id: string | null; readonly name: string | null }): ReactNode {
  if (id === null) return "no valid key";
  return (
    <Link to="/keys/$id" params={{ id }} className={textLink}>
      {name ?? id}
    </Link>
  );
}

function AccountFact({ account }: { readonly account: string }): ReactNode {
  return (
    <Link to="/accounts/$id" params={{ id: account }} className={textLink}>
      {account}
    </Link>
  );
}

/** Links to the requests of the same end user or conversation. */
function NameFact({ request, name }: { readonly request: LoggedRequestInFull; readonly name: "user" | "conversation" }): ReactNode {
  const text = request[name]!;
  if (text === "erased") return text;
  return (
    <Link to="/requests" search={{ account: request.account!, [name]: text }} className={textLink}>
      <span className="break-all">{text}</span>
    </Link>
  );
}

function formatTags(tags: LoggedRequestInFull["tags"]): string {
  return Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}

function UpstreamFact({ upstream, from_cache: isFromCache }: Pick<LoggedRequestInFull, "upstream" | "from_cache">): ReactNode {
  if (isFromCache) return "none (cache hit)";
  return (
    <Link to="/upstreams/$id" params={{ id: upstream! }} className={textLink}>
      {upstream}
    </Link>
  );
}

function Moment({ at }: { readonly at: string }): ReactNode {
  return (
    <time dateTime={at} title={at}>
      {moment(at)}
    </time>
  );
}

function Copyable({ text }: { readonly text: string }): ReactNode {
  return (
    <span className="flex items-center gap-1">
      <Mono>{text}</Mono>
      <CopyIcon text={text} label="Copy the trace ID" />
    </span>
  );
}
