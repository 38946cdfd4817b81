import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { LoggedRequest } from "../../../../platform-client/types.ts";
import { Badge } from "../../parts/badge.tsx";
import { clock, count, duration, exactMoney, moment, requestMoney } from "../../parts/format.ts";
import { rowLink, type Column } from "../../parts/table.tsx";
import { OutcomeBadge } from "./outcome-badge.tsx";

const NONE = <span className="text-ink-3">–</span>;

const TIME: Column<LoggedRequest> = {
  title: "Time",
  cell: ({ request_id: id, ended_at: at }) => (
    // The filters stay in the URL, also in a new tab.
    <Link to="/requests/$id" params={{ id }} search resetScroll={false} className={rowLink} title={moment(at)}>
      <time dateTime={at} className="figures">
        {clock(at)}
      </time>
    </Link>
  ),
};

const OUTCOME: Column<LoggedRequest> = { title: "Outcome", cell: (request) => <OutcomeBadge request={request} /> };

const MODEL: Column<LoggedRequest> = {
  title: "Model",
  className: "w-full max-w-0! min-w-32",
  cell: ({ model, from_cache: isFromCache, attempts }) => (
    <span className="flex items-center gap-1.5">
      <Truncated text={model} />
      {isFromCache && <Badge title="Served from the response cache">cached</Badge>}
      {attempts > 1 && <Badge title={`${attempts} attempts`}>×{attempts}</Badge>}
    </span>
  ),
};

const KEY: Column<LoggedRequest> = {
  title: "Key",
  from: "md",
  className: "max-w-32! 2xl:max-w-48!",
  cell: ({ key, key_name: name }) => <Truncated text={name ?? key} />,
};
const ACCOUNT: Column<LoggedRequest> = {
  title: "Account",
  from: "lg",
  className: "max-w-32! 2xl:max-w-48!",
  cell: ({ account }) => <Truncated text={account} />,
};
const UPSTREAM: Column<LoggedRequest> = {
  title: "Upstream",
  from: "2xl",
  className: "max-w-32! 2xl:max-w-48!",
  cell: ({ upstream, from_cache: isFromCache }) => <Truncated text={isFromCache ? null : upstream} />,
};
const IN: Column<LoggedRequest> = {
  title: "Input tokens",
  figures: true,
  from: "lg",
  cell: ({ usage }) => (usage ? count(usage.prompt_tokens) : NONE),
};
const OUT: Column<LoggedRequest> = {
  title: "Output tokens",
  figures: true,
  from: "lg",
  cell: ({ usage }) => (usage ? count(usage.completion_tokens) : NONE),
};
const COST: Column<LoggedRequest> = {
  title: "Cost",
  figures: true,
  from: "sm",
  cell: ({ cost }) => (cost === null ? NONE : <span title={exactMoney(cost)}>{requestMoney(cost)}</span>),
};
const DURATION: Column<LoggedRequest> = { title: "Duration", figures: true, from: "sm", cell: ({ duration_ms: ms }) => duration(ms) };
const FIRST_TOKEN: Column<LoggedRequest> = {
  title: "First token",
  figures: true,
  from: "2xl",
  cell: ({ first_token_ms: ms }) => (ms === null ? NONE : duration(ms)),
};

/** The columns beside an open request, where there is less room. */
const BESIDE: readonly Column<LoggedRequest>[] = [TIME, OUTCOME, MODEL, COST, DURATION];

export function columnsFor(isOperator: boolean, isBeside: boolean): readonly Column<LoggedRequest>[] {
  if (isBeside) return BESIDE;
  const whose = isOperator ? [KEY, ACCOUNT, UPSTREAM] : [KEY];
  return [TIME, OUTCOME, MODEL, ...whose, IN, OUT, COST, DURATION, FIRST_TOKEN];
}

/** Names can have any length. */
function Truncated({ text }: { readonly text: string | null | undefined }): ReactNode {
  if (text == null || text === "") return NONE;
  return (
    <span className="block truncate" title={text}>
      {text}
    </span>
  );
}
