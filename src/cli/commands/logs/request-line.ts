import { printable } from "../../output.ts";
import { cutTo } from "../../table.ts";
import type { RequestView } from "../../views.ts";
import { inDollars, inDuration } from "../../words.ts";

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
const OUTCOMES: Readonly<Partial<Record<RequestView["outcome"], string>>> = {
  given_again: "given again",
  explained: "only explained",
  left: "the caller left",
};

/** Writes requests as lines, in columns that only become wider: nobody knows what comes next. */
export class RequestLines {
  readonly #style: LineStyle;
  readonly #widths: number[] = [];
  #day = "";

  constructor(style: LineStyle) {
    this.#style = style;
  }

  /** `12:03:11  200  fast-chat  my application  1.2 s  12+34  $0.000123  req_…` */
  write(requests: readonly RequestView[]): string {
    const rows = requests.map((request) => this.#cells(request));
    for (const row of rows) row.forEach((cell, at) => (this.#widths[at] = Math.max(this.#widths[at] ?? 0, Bun.stringWidth(cell))));
    return requests.map((request, at) => `${this.#heading(request)}${this.#line(request, rows[at]!)}\n`).join("");
  }

  #heading({ ended_at: endedAt }: RequestView): string {
    const day = endedAt.slice(0, 10);
    if (!this.#style.isTerminal || day === this.#day) return "";
    this.#day = day;
    return this.#in(DIM, `${day}, UTC`) + "\n";
  }

  #cells(request: RequestView): string[] {
    const { ended_at: endedAt, status, key, key_name: name, usage, cost } = request;
    const time = this.#style.isTerminal ? endedAt.slice(11, 19) : endedAt;
    const tokens = usage ? `${usage.prompt_tokens}+${usage.completion_tokens}` : "";
    const cells = [time, String(status), this.#name(request.model), this.#name(name ?? key), inDuration(request.duration_ms), tokens];
    return [...cells, cost === null ? "" : inDollars(cost)];
  }

  #name(text: string | null): string {
    const shown = inOneLine(text ?? "-");
    return this.#style.isTerminal ? cutTo(shown, WIDEST_NAME) : shown;
  }

  #line(request: RequestView, cells: readonly string[]): string {
    const padded = cells.map((cell, at) => {
      const space = " ".repeat(this.#widths[at]! - Bun.stringWidth(cell));
      return at >= FIRST_NUMBER && at <= LAST_RIGHT ? space + cell : cell + space;
    });
    padded[1] = this.#in(colorOf(request), padded[1]!);
    const note = noteOn(request);
    const tail = [this.#in(DIM, request.request_id), ...(note === "" ? [] : [this.#in(colorOf(request), note)])];
    return [...padded, ...tail].join(GAP);
  }

  #in(color: string, text: string): string {
    return this.#style.hasColor && color !== "" ? `${color}${text}${PLAIN}` : text;
  }
}

/** The columns of the duration and the tokens stand at the right. */
const FIRST_NUMBER = 4;
const LAST_RIGHT = 5;

function colorOf({ outcome }: RequestView): string {
  return { failed: RED, refused: YELLOW, left: DIM }[outcome as string] ?? "";
}

function noteOn({ code, param, outcome, attempts, from_cache: isFromCache }: RequestView): string {
  const parts = [
    code === null ? OUTCOMES[outcome] : `${code}${param === null ? "" : ` (${param})`}`,
    attempts > 1 ? `${attempts} attempts` : undefined,
    isFromCache ? "from the cache" : undefined,
  ];
  return inOneLine(parts.filter((part) => part !== undefined).join(", "));
}

/** Callers name models, and members keys, as they like. */
function inOneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, " "));
}
