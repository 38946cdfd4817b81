/** Text that is HTML already. Everything else is escaped where it is put in. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | readonly Html[];

/** HTML from a template, with what is put into it escaped: a name or a description cannot become markup. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((string, at) => (at === 0 ? "" : toText(parts[at - 1]!)) + string).join(""));
}

function toText(part: Part): string {
  if (typeof part === "string") return Bun.escapeHTML(part);
  return part instanceof Html ? part.text : part.map((each) => each.text).join("");
}
