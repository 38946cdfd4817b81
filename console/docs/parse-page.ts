import {
  PLAIN_TAGS,
  type Align,
  type DocsElement,
  type DocsNode,
  type DocsPageContent,
  type PlainTag,
} from "../src/pages/docs/documentation.ts";
import { textOf } from "../src/pages/docs/text-of.ts";

/** The target of a link: another page, an external URL, or nothing if the console does not serve the file. */
export type LinkTarget = { readonly to: string } | { readonly href: string } | undefined;

/** Resolves what a page refers to. */
export interface References {
  link(href: string): LinkTarget;
  /** Returns the name of the file in the build. */
  image(src: string): string;
}

/** An element as Bun's parser returns it. */
interface Parsed {
  readonly type: string;
  readonly props: Readonly<Record<string, unknown>>;
}

/** Parses a page. HTML markup becomes plain text, and comments are removed. */
export function parsePage(markdown: string, references: References): DocsPageContent {
  const { children } = (Bun.markdown.react(markdown) as Parsed).props;
  const parser = new PageParser(references);
  const content = parser.nodesOf(children);
  return { title: parser.title, content };
}

class PageParser {
  readonly #references: References;
  readonly #anchors = new Set<string>();
  /** The heading that the parser is under. */
  #heading = "";
  title = "";

  constructor(references: References) {
    this.#references = references;
  }

  nodesOf(children: unknown): DocsNode[] {
    const nodes = ([children].flat(Number.POSITIVE_INFINITY) as (string | Parsed | undefined)[]).flatMap((child) =>
      child === undefined ? [] : this.#nodesOf(child),
    );
    return joinTexts(nodes);
  }

  #nodesOf(child: string | Parsed): readonly DocsNode[] {
    if (typeof child === "string") return isComment(child) ? [] : [child];
    const { type, props } = child;
    if (type === "html") return isComment(textIn(props["children"])) ? [] : [{ tag: "p", children: [textIn(props["children"])] }];
    if (/^h[1-6]$/.test(type)) return this.#headingOf(Number(type[1]), props);
    if (type === "a") return this.#linkOf(props);
    return [this.#elementOf(type, props)];
  }

  #elementOf(type: string, props: Parsed["props"]): DocsElement {
    if (type === "br" || type === "hr") return { tag: type };
    if (type === "pre") return { tag: "code-block", label: `Example, ${this.#heading}`, text: textIn(props["children"]).trimEnd() };
    if (type === "img")
      return { tag: "image", src: this.#references.image(props["src"] as string), alt: (props["alt"] as string | undefined) ?? "" };
    const children = this.nodesOf(props["children"]);
    if (type === "table") return { tag: type, label: `Table, ${this.#heading}`, children };
    if (type === "ol") return { tag: type, start: Number(props["start"] ?? 1), children };
    if (type === "th" || type === "td") return { tag: type, ...("align" in props && { align: props["align"] as Align }), children };
    if (type === "code") return { tag: type, children };
    if (!isPlain(type)) throw new Error(`The console cannot show the Markdown element ${type}`);
    return { tag: type, children };
  }

  /** The first heading is the title, which the page shows itself. */
  #headingOf(level: number, props: Parsed["props"]): DocsElement[] {
    const children = this.nodesOf(props["children"]);
    this.#heading = textOf(children);
    const id = this.#anchorOf(this.#heading);
    if (level > 1) return [{ tag: level === 2 ? "h2" : level === 3 ? "h3" : "h4", id, children }];
    this.title = this.#heading;
    return [];
  }

  /** The anchor of a heading as GitHub makes it, so that a link works in both places. */
  #anchorOf(heading: string): string {
    const plain = heading
      .toLowerCase()
      .trim()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-");
    let anchor = plain;
    for (let number = 1; this.#anchors.has(anchor); number++) anchor = `${plain}-${number}`;
    this.#anchors.add(anchor);
    return anchor;
  }

  /** A file that the console does not serve is named, but not linked. */
  #linkOf({ href, children }: Parsed["props"]): readonly DocsNode[] {
    const shown = this.nodesOf(children);
    const target = this.#references.link(href as string);
    if (!target) return shown;
    return ["to" in target ? { tag: "page-link", ...target, children: shown } : { tag: "external-link", ...target, children: shown }];
  }
}

function isPlain(type: string): type is PlainTag {
  return (PLAIN_TAGS as readonly string[]).includes(type);
}

function isComment(text: string): boolean {
  return /^\s*<!--[^]*-->\s*$/.test(text);
}

/** The parser returns an entity or an escaped character as a separate text. */
function joinTexts(nodes: readonly DocsNode[]): DocsNode[] {
  const joined: DocsNode[] = [];
  for (const node of nodes) {
    const last = joined.at(-1);
    if (typeof node === "string" && typeof last === "string") joined[joined.length - 1] = last + node;
    else joined.push(node);
  }
  return joined;
}

function textIn(children: unknown): string {
  return ([children].flat(Number.POSITIVE_INFINITY) as (string | Parsed | undefined)[])
    .map((child) => (typeof child === "string" ? child : textIn(child?.props["children"] ?? [])))
    .join("");
}
