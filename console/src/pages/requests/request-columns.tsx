import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { LoggedRequest } from "../../platform/interface.ts";
import { Badge } from "../../parts/badge.tsx";
import { clock, count, duration, exactMoney, moment, requestMoney } from "../../parts/format.ts";
import { rowLink, type Column } from "../../parts/table.tsx";
import { OutcomeBadge } from "./outcome-badge.tsx";

const NONE = <span className="text-ink-3">–</span>;

const TIME: Column<LoggedRequest> = {
  title: "Time",
  cell: ({ request_id: id, ended_at: at }) => (
    // What the list is narrowed by stays in the address, also where it is opened in another tab.
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
      <Cut text={model} />
      {isFromCache && <Badge title="An answer that the model keeps was given again">cached</Badge>}
      {attempts > 1 && <Badge title={`${attempts} tries at upstreams`}>×{attempts}</Badge>}
    </span>
  ),
};

const KEY: Column<LoggedRequest> = {
  title: "Key",
  from: "md",
  className: "max-w-32! 2xl:max-w-48!",
  cell: ({ key, key_name: name }) => <Cut text={name ?? key} />,
};
const ACCOUNT: Column<LoggedRequest> = {
  title: "Account",
  from: "lg",
  className: "max-w-32! 2xl:max-w-48!",
  cell: ({ account }) => <Cut text={account} />,
};
const UPSTREAM: Column<LoggedRequest> = {
  title: "Upstream",
  from: "2xl",
  className: "max-w-32! 2xl:max-w-48!",
  cell: ({ upstream, from_cache: isFromCache }) => <Cut text={isFromCache ? null : upstream} />,
};
const IN: Column<LoggedRequest> = {
  title: "Tokens in",
  figures: true,
  from: "lg",
  cell: ({ usage }) => (usage ? count(usage.prompt_tokens) : NONE),
};
const OUT: Column<LoggedRequest> = {
  title: "Out",
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
const TOOK: Column<LoggedRequest> = { title: "Took", figures: true, from: "sm", cell: ({ duration_ms: ms }) => duration(ms) };
const FIRST: Column<LoggedRequest> = {
  title: "First token",
  figures: true,
  from: "2xl",
  cell: ({ first_token_ms: ms }) => (ms === null ? NONE : duration(ms)),
};

/** Beside an open request there is room for what tells requests apart, and no more. */
const BESIDE: readonly Column<LoggedRequest>[] = [TIME, OUTCOME, MODEL, COST, TOOK];

export function columnsFor(isOperator: boolean, isBeside: boolean): readonly Column<LoggedRequest>[] {
  if (isBeside) return BESIDE;
  const whose = isOperator ? [KEY, ACCOUNT, UPSTREAM] : [KEY];
  return [TIME, OUTCOME, MODEL, ...whose, IN, OUT, COST, TOOK, FIRST];
}

/** What others have named may be of any length. */
function Cut({ text }: { readonly text: string | null | undefined }): ReactNode {
  if (text == null || text === "") return NONE;
  return (
    <span className="block truncate" title={text}>
      {text}
    </span>
  );
}
