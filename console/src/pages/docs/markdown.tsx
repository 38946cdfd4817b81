import type { ReactNode } from "react";
import { classes } from "../../parts/classes.ts";
import { Code, Mono } from "../../parts/code.tsx";
import { parseMarkdown, type Block, type Inline } from "./markdown.ts";

/** Renders our own Markdown. */
export function Markdown({ text }: { readonly text: string }): ReactNode {
  return (
    <div className="flex max-w-3xl flex-col gap-3">
      {parseMarkdown(text).map((block, at) => (
        // Blocks have no ID, and their order never changes.
        // oxlint-disable-next-line react/no-array-index-key
        <BlockOf key={at} block={block} />
      ))}
    </div>
  );
}

function BlockOf({ block }: { readonly block: Block }): ReactNode {
  if (block.kind === "code") return <Code label="example" text={block.text} />;
  if (block.kind === "heading") return <Heading level={block.level} text={block.text} />;
  if (block.kind === "paragraph") {
    return (
      <p className="text-ink-2">
        <Inlines of={block.text} />
      </p>
    );
  }
  const List = block.isOrdered ? "ol" : "ul";
  return (
    <List className={classes("flex flex-col gap-1 pl-5 text-ink-2", block.isOrdered ? "list-decimal" : "list-disc")}>
      {block.items.map((item, at) => (
        // oxlint-disable-next-line react/no-array-index-key
        <li key={at}>
          <Inlines of={item} />
        </li>
      ))}
    </List>
  );
}

/** One level lower than in the file, because the page has its own h1. */
function Heading({ level, text }: { readonly level: number; readonly text: readonly Inline[] }): ReactNode {
  const Level = level <= 2 ? "h2" : "h3";
  return (
    <Level className={classes("mt-3 font-semibold first:mt-0", level <= 2 && "text-lg")}>
      <Inlines of={text} />
    </Level>
  );
}

/** Links point to files that the console does not serve, so only their text is shown. */
function Inlines({ of }: { readonly of: readonly Inline[] }): ReactNode {
  return of.map((inline, at) => {
    const key = `${at} ${inline.text}`;
    if (inline.kind === "code") return <Mono key={key}>{inline.text}</Mono>;
    if (inline.kind === "strong") return <strong key={key}>{inline.text}</strong>;
    return <span key={key}>{inline.text}</span>;
  });
}
