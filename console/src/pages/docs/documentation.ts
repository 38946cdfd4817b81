/** The documentation as the build writes it. The Markdown pages are trees, so that the browser needs no parser and no HTML is inserted. */

export type DocsNode = string | DocsElement;

export type DocsElement =
  | { readonly tag: "h2" | "h3" | "h4"; readonly id: string; readonly children: readonly DocsNode[] }
  | { readonly tag: PlainTag; readonly children: readonly DocsNode[] }
  | { readonly tag: "code"; readonly children: readonly DocsNode[] }
  | { readonly tag: "ol"; readonly start: number; readonly children: readonly DocsNode[] }
  | { readonly tag: "th" | "td"; readonly align?: Align; readonly children: readonly DocsNode[] }
  /** The label is the table's name for screen readers. */
  | { readonly tag: "table"; readonly label: string; readonly children: readonly DocsNode[] }
  | { readonly tag: "code-block"; readonly label: string; readonly text: string }
  /** The target in the format of `DocsLink`. */
  | { readonly tag: "page-link"; readonly to: string; readonly children: readonly DocsNode[] }
  | { readonly tag: "external-link"; readonly href: string; readonly children: readonly DocsNode[] }
  /** The source is a file of the build. */
  | { readonly tag: "image"; readonly src: string; readonly alt: string }
  | { readonly tag: "br" | "hr" };

export const PLAIN_TAGS = ["p", "ul", "li", "blockquote", "thead", "tbody", "tr", "em", "strong", "del"] as const;
export type PlainTag = (typeof PLAIN_TAGS)[number];
export type Align = "left" | "center" | "right";

export interface DocsPageContent {
  readonly title: string;
  readonly content: readonly DocsNode[];
}

/** The part of a page under one heading, which the search finds. */
export interface DocsSection {
  readonly page: string;
  /** The title of the page. */
  readonly title: string;
  /** The anchor; the start of a page has none. */
  readonly anchor?: string;
  readonly heading: string;
  readonly text: string;
}

/** All pages, and the build file of each. A page is named by its path in docs/; the start page is "". */
export interface Documentation {
  readonly groups: readonly { readonly title: string; readonly pages: readonly { readonly page: string; readonly label: string }[] }[];
  readonly files: Readonly<Record<string, string>>;
  readonly searchFile: string;
}
