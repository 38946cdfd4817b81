import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { DataColumn } from "../../../parts/data-table/data-column.ts";
import { Badge } from "../../../parts/badge.tsx";
import { classes } from "../../../parts/classes.ts";
import { clock, count, duration, endpointLabel, exactMoney, moment, requestMoney } from "../../../parts/format/format.ts";
import { rowLink } from "../../../parts/table.tsx";
import { isConversation, type ListRow, type RequestRow } from "../conversations.ts";
import { OUTCOME_LABELS } from "../format-outcome.ts";
import { OutcomeBadge } from "../outcome-badge.tsx";
import type { LoggedRequest } from "../../../../../platform-client/types.ts";

const NONE = <span className="text-ink-3">–</span>;

/** Shown for a missing value. It counts as text, so that a column stays even if no row has a value. */
const NO_TEXT = "–";

/** A column of requests. The head of a conversation spans all columns. */
function column({ cell, text, ...rest }: DataColumn<RequestRow>): DataColumn<ListRow> {
  return {
    ...rest,
    ...(text && { text: (row) => (isConversation(row) ? NO_TEXT : text(row) || NO_TEXT) }),
    cell: (row) => (isConversation(row) ? null : cell(row)),
  };
}

const TIME = column({
  id: "time",
  title: "Time",
  width: 134,
  isFixed: true,
  sorts: "descending",
  text: ({ ended_at: at, isInConversation = false }) => `${clock(at)}${isInConversation ? "   " : ""}`,
  cell: ({ request_id: id, ended_at: at, isInConversation = false }) => (
    // Keeps the filters in the URL, even in a new tab.
    <Link
      to="/requests/$id"
      params={{ id }}
      search
      resetScroll={false}
      className={classes(rowLink, isInConversation && "ml-4")}
      title={moment(at)}
    >
      <time dateTime={at} className="figures">
        {clock(at)}
      </time>
    </Link>
  ),
});

const OUTCOME = column({
  id: "outcome",
  title: "Outcome",
  width: 180,
  text: ({ status, outcome }) => `${status} ${OUTCOME_LABELS[outcome]}`,
  cell: (request) => <OutcomeBadge request={request} />,
});

const MODEL = column({
  id: "model",
  title: "Model",
  width: 80,
  grows: true,
  isFixed: true,
  cell: ({ model, from_cache: isFromCache, attempts, mirror }) => (
    <span className="flex items-center gap-1.5">
      <Truncated text={model} />
      {isFromCache && <Badge title="Served from the response cache">cached</Badge>}
      {attempts > 1 && <Badge title={`${attempts} attempts`}>×{attempts}</Badge>}
      {mirror && <MirrorBadge compared={mirror} />}
    </span>
  ),
});

const KEY = column({
  id: "key",
  title: "Key",
  from: "md",
  width: 140,
  text: ({ key, key_name: name }) => name ?? key ?? "",
  cell: ({ key, key_name: name }) => <Truncated text={name ?? key} />,
});
const ACCOUNT = column({
  id: "account",
  title: "Account",
  from: "lg",
  width: 130,
  text: ({ account }) => account ?? "",
  cell: ({ account }) => <Truncated text={account} />,
});
const UPSTREAM = column({
  id: "upstream",
  title: "Upstream",
  from: "2xl",
  width: 130,
  text: ({ upstream }) => upstream ?? "",
  cell: ({ upstream, from_cache: isFromCache }) => <Truncated text={isFromCache ? null : upstream} />,
});
const ENDPOINT = column({
  id: "endpoint",
  title: "Endpoint",
  isOptional: true,
  width: 140,
  cell: ({ endpoint }) => endpointLabel(endpoint),
});
const USER = column({ id: "user", title: "End user", isOptional: true, width: 130, cell: ({ user }) => <Truncated text={user} /> });
const CONVERSATION = column({
  id: "conversation",
  title: "Conversation",
  isOptional: true,
  width: 150,
  cell: ({ conversation }) => <Truncated text={conversation} />,
});
const TAGS = column({
  id: "tags",
  title: "Tags",
  isOptional: true,
  width: 160,
  cell: ({ tags }) => (
    <Truncated
      text={Object.entries(tags)
        .map(([name, value]) => `${name}:${value}`)
        .join(", ")}
    />
  ),
});
const ATTEMPTS = column({
  id: "attempts",
  title: "Attempts",
  isOptional: true,
  figures: true,
  width: 90,
  cell: ({ attempts }) => count(attempts),
});
const TOKENS = column({
  id: "tokens",
  title: "Tokens",
  figures: true,
  from: "lg",
  width: 96,
  sorts: "descending",
  text: ({ usage }) => (usage ? count(usage.total_tokens) : ""),
  cell: ({ usage }) => (usage ? count(usage.total_tokens) : NONE),
});
const IN = column({
  id: "input",
  title: "Input tokens",
  figures: true,
  from: "2xl",
  width: 112,
  cell: ({ usage }) => (usage ? count(usage.prompt_tokens) : NONE),
});
const OUT = column({
  id: "output",
  title: "Output tokens",
  figures: true,
  from: "2xl",
  width: 120,
  cell: ({ usage }) => (usage ? count(usage.completion_tokens) : NONE),
});
const COST = column({
  id: "cost",
  title: "Cost",
  figures: true,
  from: "sm",
  width: 108,
  sorts: "descending",
  text: ({ cost }) => (cost === null ? "" : requestMoney(cost)),
  cell: ({ cost }) => (cost === null ? NONE : <span title={exactMoney(cost)}>{requestMoney(cost)}</span>),
});
const DURATION = column({
  id: "duration",
  title: "Duration",
  figures: true,
  from: "sm",
  width: 104,
  sorts: "descending",
  text: ({ duration_ms: ms }) => duration(ms),
  cell: ({ duration_ms: ms }) => duration(ms),
});
const FIRST_TOKEN = column({
  id: "first-token",
  title: "First token",
  figures: true,
  from: "2xl",
  width: 104,
  cell: ({ first_token_ms: ms }) => (ms === null ? NONE : duration(ms)),
});

/** The columns beside an open request, where there is less space. */
const BESIDE = [TIME, OUTCOME, MODEL, COST] as const;
const AMOUNTS = [TOKENS, IN, OUT, COST, DURATION, FIRST_TOKEN, ATTEMPTS, ENDPOINT, USER, CONVERSATION, TAGS] as const;
const OF_OPERATORS = [TIME, OUTCOME, MODEL, KEY, ACCOUNT, UPSTREAM, ...AMOUNTS] as const;
const OF_MEMBERS = [TIME, OUTCOME, MODEL, KEY, ...AMOUNTS] as const;

export function columnsFor(isOperator: boolean, isBeside: boolean): readonly DataColumn<ListRow>[] {
  if (isBeside) return BESIDE;
  return isOperator ? OF_OPERATORS : OF_MEMBERS;
}

/** Truncates a name, because names can have any length. */
function Truncated({ text }: { readonly text: string | null | undefined }): ReactNode {
  if (text == null || text === "") return NONE;
  return (
    <span className="block truncate" title={text}>
      {text}
    </span>
  );
}

type MirrorComparison = NonNullable<LoggedRequest["mirror"]>;

/** Whether the request was mirrored, and whether the mirror returned another status or finish reason. */
function MirrorBadge({ compared }: { readonly compared: MirrorComparison }): ReactNode {
  const [caller, mirror] = [briefly(compared.response), briefly(compared.mirror)];
  if (caller === mirror) return <Badge title={`${compared.upstream} returned the same: ${mirror}`}>mirrored</Badge>;
  return (
    <Badge tone="warn" title={`${compared.upstream} returned ${mirror}, the caller received ${caller}`}>
      mirror differs
    </Badge>
  );
}

function briefly({ status, finish_reason: reason }: MirrorComparison["response"]): string {
  return `${status}, ${reason === null ? "no finish reason" : `finish reason ${reason}`}`;
}
