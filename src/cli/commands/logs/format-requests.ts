import type { LoggedRequest } from "../../../../platform-client/types.ts";
import { formatUsd, formatDuration } from "../../format-values.ts";
import { printable } from "../../output.ts";
import { cutTo } from "../../table.ts";

export interface LineStyle {
  /** In a terminal days are headings, and long names are cut; elsewhere every line is whole by itself. */
  readonly isTerminal: boolean;
  readonly hasColor: boolean;
}

const RED = "\u001b[31m";
const YELLOW = "\u001b[33m";
const DIM = "\u001b[2m";
const PLAIN = "\u001b[0m";

const WIDEST_NAME = 24;
const GAP = "  ";

/** What is said where nothing went wrong, and yet not all went as usual. */
const OUTCOMES: Readonly<Partial<Record<LoggedRequest["outcome"], string>>> = {
  given_again: "given again",
  explained: "only explained",
  left: "the caller left",
};

const MODEL = 2;
const KEY = 3;
const DURATION = 4;
const TOKENS = 5;

/** In a narrow terminal names are cut, but not below this. */
const NARROWEST_NAME = 8;

/** What has no room at the end of a line stands below it, under the status. */
const BELOW = " ".repeat("12:03:11  ".length);

/** Writes requests as lines, in columns that only become wider, as far as there is room: nobody knows what comes next. */
export class RequestLines {
  readonly #style: LineStyle;
  readonly #widest: number[] = [];
  #day = "";

  constructor(style: LineStyle) {
    this.#style = style;
  }

  /** `12:03:11  200  fast-chat  my application  1.2 s  12+34  $0.000123  req_…`, in lines that are no wider than this. */
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
    return this.#style.isTerminal ? cutTo(shown, WIDEST_NAME) : shown;
  }

  #line(request: LoggedRequest, [time, status, ...cells]: readonly string[], width: number): string {
    const taken = Bun.stringWidth([time, status, ...cells].join(GAP));
    const columns = [time, this.#in(colorOf(request), status!), ...cells].join(GAP);
    return columns + this.#tail(request, taken, width);
  }

  /** What was not as usual, and the id. Where that has no room it is left out, but not where something went wrong. */
  #tail(request: LoggedRequest, taken: number, width: number): string {
    const { request_id: id, code } = request;
    const note = cutTo(noteOn(request), width - BELOW.length);
    let [tail, end] = ["", taken];
    for (const text of note === "" ? [id] : [note, id]) {
      const fits = end + GAP.length + Bun.stringWidth(text) <= width;
      if (!fits && text === id && code === null) break;
      end = (fits ? end + GAP.length : BELOW.length) + Bun.stringWidth(text);
      tail += (fits ? GAP : `\n${BELOW}`) + this.#in(text === id ? DIM : colorOf(request), text);
    }
    return tail;
  }

  #in(color: string, text: string): string {
    return this.#style.hasColor && color !== "" ? `${color}${text}${PLAIN}` : text;
  }
}

/** How wide the columns may be: the longer name is cut first, and where that is not enough the tokens go. */
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

/** Cells in their columns. Where nothing was charged they end sooner, and the reason stands there instead. */
function pad(cells: readonly string[], widths: readonly number[]): string[] {
  const filled = cells.slice(0, cells.findLastIndex((cell) => cell !== "") + 1);
  return filled.flatMap((cell, at) => {
    if (widths[at] === 0) return [];
    const shown = cutTo(cell, widths[at]!);
    const space = " ".repeat(widths[at]! - Bun.stringWidth(shown));
    return at === DURATION || at === TOKENS ? space + shown : shown + space;
  });
}

function colorOf({ outcome }: LoggedRequest): string {
  return { failed: RED, refused: YELLOW, left: DIM }[outcome as string] ?? "";
}

function noteOn({ code, param, outcome, attempts, from_cache: isFromCache }: LoggedRequest): string {
  const parts = [
    code === null ? OUTCOMES[outcome] : `${code}${param === null ? "" : ` (${param})`}`,
    attempts > 1 ? `${attempts} attempts` : undefined,
    isFromCache ? "from the cache" : undefined,
  ];
  return toSingleLine(parts.filter((part) => part !== undefined).join(", "));
}

/** Callers name models, and members keys, as they like. */
function toSingleLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, " "));
}
