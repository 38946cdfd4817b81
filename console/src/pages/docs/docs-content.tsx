import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { base } from "../../platform/base.ts";
import { classes } from "../../parts/classes.ts";
import { Code, Mono } from "../../parts/code.tsx";
import { DocsLink } from "../../parts/docs-link.tsx";
import { textLink } from "../../parts/text-link.ts";
import { PLAIN_TAGS, type DocsElement, type DocsNode, type PlainTag } from "./documentation.ts";
import { textOf } from "./text-of.ts";

/** The content of a page, without its title. */
export function DocsContent({ of }: { readonly of: readonly DocsNode[] }): ReactNode {
  return of.map((node, at) => <NodeOf key={keyOf(node, at)} node={node} />);
}

/** Nodes have no ID, and their order never changes. */
function keyOf(node: DocsNode, at: number): string {
  return typeof node !== "string" && "id" in node ? node.id : String(at);
}

function NodeOf({ node }: { readonly node: DocsNode }): ReactNode {
  if (typeof node === "string") return node;
  if (isPlain(node)) {
    return (
      <node.tag className={CLASSES[node.tag]}>
        <DocsContent of={node.children} />
      </node.tag>
    );
  }
  switch (node.tag) {
    case "h2":
    case "h3":
    case "h4":
      return <Heading of={node} />;
    case "code-block":
      return <Code label={node.label} text={node.text} />;
    case "table":
      return <ScrollableTable of={node} />;
    case "th":
    case "td":
      return <Cell of={node} />;
    case "page-link":
      return (
        <DocsLink to={node.to}>
          <DocsContent of={node.children} />
        </DocsLink>
      );
    case "external-link":
      return (
        <a href={node.href} target="_blank" rel="noreferrer" className={textLink}>
          <DocsContent of={node.children} />
        </a>
      );
    case "image":
      return <img src={`${base}/assets/${node.src}`} alt={node.alt} className="max-w-full rounded-md border border-line" />;
    case "ol":
      return (
        <ol start={node.start} className={`${LIST} list-decimal`}>
          <DocsContent of={node.children} />
        </ol>
      );
    case "code":
      return (
        <Mono>
          <DocsContent of={node.children} />
        </Mono>
      );
    case "br":
    case "hr":
      return <node.tag />;
  }
}

function isPlain(node: DocsElement): node is Extract<DocsElement, { readonly tag: PlainTag }> {
  return (PLAIN_TAGS as readonly string[]).includes(node.tag);
}

const LIST = "flex max-w-3xl flex-col gap-1.5 pl-5 text-ink-2";

const CLASSES: Partial<Record<PlainTag, string>> = {
  p: "max-w-3xl text-ink-2",
  ul: `${LIST} list-disc`,
  li: "[&>*+*]:mt-2",
  blockquote: "border-l-2 border-line pl-4",
  thead: "border-b border-line text-sm text-ink-3",
  tr: "border-t border-line first:border-t-0",
  strong: "font-semibold text-ink",
};

const SIZES = { h2: "mt-5 text-lg", h3: "mt-3", h4: "mt-2 text-ink-2" } as const;

/** A heading, and a link to it. The link is next to the heading element, so that it is not part of the heading's name. */
function Heading({ of }: { readonly of: Extract<DocsElement, { readonly id: string }> }): ReactNode {
  return (
    <div className={classes("group flex items-baseline gap-1.5", SIZES[of.tag])}>
      <of.tag id={of.id} tabIndex={-1} className="scroll-mt-16 font-semibold outline-none lg:scroll-mt-6">
        <DocsContent of={of.children} />
      </of.tag>
      <Link
        to="."
        hash={of.id}
        aria-label={`Link to ${textOf(of.children)}`}
        className="px-1 text-ink-3 opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
      >
        #
      </Link>
    </div>
  );
}

/** Focusable, so that a wide table can be scrolled by keyboard. */
function ScrollableTable({ of }: { readonly of: Extract<DocsElement, { readonly tag: "table" }> }): ReactNode {
  return (
    <div role="region" aria-label={of.label} tabIndex={0} className="card w-fit max-w-full overflow-x-auto">
      <table className="text-left">
        <DocsContent of={of.children} />
      </table>
    </div>
  );
}

const ALIGN = { left: "text-left", center: "text-center", right: "text-right" } as const;

/** Cells with texts longer than this get a readable width; the table scrolls. */
const LONG_TEXT = 60;

function Cell({ of }: { readonly of: Extract<DocsElement, { readonly tag: "th" | "td" }> }): ReactNode {
  const isHead = of.tag === "th" && of.children.length > 0;
  const Tag = isHead ? "th" : "td";
  const width = textOf(of.children).length > LONG_TEXT ? "min-w-72" : "min-w-20";
  return (
    <Tag
      {...(isHead && { scope: "col" })}
      className={classes("px-3 py-2 align-top [&_code]:wrap-normal", width, isHead && "font-medium", of.align && ALIGN[of.align])}
    >
      <DocsContent of={of.children} />
    </Tag>
  );
}
