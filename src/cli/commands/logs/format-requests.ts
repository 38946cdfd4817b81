import type { LoggedRequest } from "../../../../platform-client/types.ts";
import { formatUsd, formatDuration } from "../../format/format-values.ts";
import { printable } from "../../output.ts";
import { truncate } from "../../format/table.ts";
import { wrap } from "../../format/wrap.ts";

interface LineStyle {
  /** A terminal has a heading for each day and truncated names; in a pipe every line is complete. */
  readonly isTerminal: boolean;
  readonly hasColor: boolean;
}

const RED = "\u001b[31m";
const YELLOW = "\u001b[33m";
const DIM = "\u001b[2m";
const PLAIN = "\u001b[0m";

const WIDEST_NAME = 24;
const MAX_REASON_LENGTH = 300;
const GAP = "  ";

/** Notes on successful requests that are not ordinary completions. */
const OUTCOMES: Readonly<Partial<Record<LoggedRequest["outcome"], string>>> = {
  replayed: "idempotent replay",
  dry_run: "dry run",
  client_closed: "client disconnected",
};

const MODEL = 2;
const KEY = 3;
const DURATION = 4;
const TOKENS = 5;

/** Names are truncated in a narrow terminal, but not below this width. */
const NARROWEST_NAME = 8;

/** A note that does not fit goes on the next line, under the status. */
const BELOW = " ".repeat("12:03:11  ".length);

/** Formats requests as lines. Columns become wider but never narrower, because later requests are not known yet. */
export class RequestLines {
  readonly #style: LineStyle;
  readonly #widest: number[] = [];
  #day = "";

  constructor(style: LineStyle) {
    this.#style = style;
  }

  /** `12:03:11  200  fast-chat  my application  1.2 s  12+34  $0.000123  req_…`, wrapped to the width. */
  write(requests: readonly LoggedRequest[], width = Number.POSITIVE_INFINITY): string {
    const rows = requests.map((request) => this.#cells(request));
    for (const row of rows) row.forEach((cell, at) => (this.#widest[at] = Math.max(this.#widest[at] ?? 0, Bun.stringWidth(cell))));
    const widths = fitInto(width, this.#widest);
    return requests.map((request, at) => `${this.#heading(request)}${this.#line(request, pad(rows[at]!, widths), width)}\n`).join("");
  }

  #heading({ ended_at: endedAt }: LoggedRequest): string {
    const day = endedAt.slice(0, 10);
    if (!this.#style.isTerminal || day === this.#day) return "";
    this.#day = day;
    return this.#in(DIM, `${day}, UTC`) + "\n";
  }

  #cells(request: LoggedRequest): string[] {
    const { ended_at: endedAt, status, key, key_name: name, usage, cost } = request;
    const time = this.#style.isTerminal ? endedAt.slice(11, 19) : endedAt;
    const tokens = usage ? `${usage.prompt_tokens}+${usage.completion_tokens}` : "";
    const cells = [time, String(status), this.#name(request.model), this.#name(name ?? key), formatDuration(request.duration_ms), tokens];
    return [...cells, cost === null ? "" : formatUsd(cost)];
  }

  #name(text: string | null): string {
    const shown = toSingleLine(text ?? "-");
    return this.#style.isTerminal ? truncate(shown, WIDEST_NAME) : shown;
  }

  #line(request: LoggedRequest, [time, status, ...cells]: readonly string[], width: number): string {
    const taken = Bun.stringWidth([time, status, ...cells].join(GAP));
    const columns = [time, this.#in(colorOf(request), status!), ...cells].join(GAP);
    return columns + this.#tail(request, taken, width);
  }

  /** The note, the end user and the request ID. A user or an ID that does not fit is omitted, except the ID of a failed request. */
  #tail(request: LoggedRequest, taken: number, width: number): string {
    const { request_id: id, code, user } = request;
    const parts = [
      { text: noteOn(request), color: colorOf(request), isOptional: false },
      { text: user === null ? "" : `user ${this.#name(user)}`, color: "", isOptional: true },
      { text: id, color: DIM, isOptional: code === null },
    ];
    let [tail, end] = ["", taken];
    for (const { text, color, isOptional } of parts.filter(({ text: given }) => given !== "")) {
      const fits = end + GAP.length + Bun.stringWidth(text) <= width;
      if (!fits && isOptional) continue;
      const lines = fits ? [text] : wrap(text, width - BELOW.length).map((line) => truncate(line, width - BELOW.length));
      end = (fits ? end + GAP.length : BELOW.length) + Bun.stringWidth(lines.at(-1)!);
      tail += lines.map((line) => `${fits ? GAP : `\n${BELOW}`}${this.#in(color, line)}`).join("");
    }
    return tail;
  }

  #in(color: string, text: string): string {
    return this.#style.hasColor && color !== "" ? `${color}${text}${PLAIN}` : text;
  }
}

/** The column widths: the longer name is truncated first, then the tokens are omitted. */
function fitInto(width: number, widest: readonly number[]): readonly number[] {
  const widths = [...widest];
  let excess = widths.reduce((sum, each) => sum + (each === 0 ? 0 : each + GAP.length), -GAP.length) - width;
  for (; excess > 0; excess--) {
    const longer = widths[MODEL]! > widths[KEY]! ? MODEL : KEY;
    if (widths[longer]! <= NARROWEST_NAME) break;
    widths[longer]!--;
  }
  return excess > 0 && widest[TOKENS]! > 0 ? fitInto(width, widest.with(TOKENS, 0)) : widths;
}

/** Pads the cells. A request without a charge has fewer cells, followed by its error. */
function pad(cells: readonly string[], widths: readonly number[]): string[] {
  const filled = cells.slice(0, cells.findLastIndex((cell) => cell !== "") + 1);
  return filled.flatMap((cell, at) => {
    if (widths[at] === 0) return [];
    const shown = truncate(cell, widths[at]!);
    const space = " ".repeat(widths[at]! - Bun.stringWidth(shown));
    return at === DURATION || at === TOKENS ? space + shown : shown + space;
  });
}

function colorOf({ outcome }: LoggedRequest): string {
  return { failed: RED, refused: YELLOW, client_closed: DIM }[outcome as string] ?? "";
}

function noteOn(request: LoggedRequest): string {
  const { code, outcome, attempts, from_cache: isFromCache } = request;
  const parts = [
    code === null ? OUTCOMES[outcome] : errorOf(request),
    attempts > 1 ? `${attempts} attempts` : undefined,
    isFromCache ? "response cache" : undefined,
  ];
  return toSingleLine(parts.filter((part) => part !== undefined).join(", "));
}

/** The detail of a rejection names the limit or spend cap that was reached. The detail of an upstream's error is shown by `logs show`. */
function errorOf({ code, param, attempts, detail }: LoggedRequest): string {
  const reason = attempts === 0 && detail ? `: ${detail.slice(0, MAX_REASON_LENGTH)}` : "";
  return `${code}${param === null ? "" : ` (${param})`}${reason}`;
}

/** Clients and members choose these names freely. */
function toSingleLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, " "));
}
