import { Glob } from "bun";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/gateway/start-gateway.ts";

/** A fenced block of code in a document. */
export interface Block {
  readonly file: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /**
   * The test instruction in the comment above the block: `<!-- not run: needs Docker -->`, `<!-- run alone: removes a file of the next
   * block -->`.
   */
  readonly note: { readonly kind: "not run" | "run alone"; readonly reason: string } | undefined;
}

const DOCUMENTS = ["README.md", "deploy/README.md", ...[...new Glob("docs/**/*.md").scanSync(ROOT)].toSorted()];
const FENCE = /^( *)(`{3,})(\w*) *$/;
const NOTE = /^ *<!-- (not run|run alone): (.+) -->$/;

/** The blocks of README.md, deploy/README.md and docs/. */
export const BLOCKS: readonly Block[] = DOCUMENTS.flatMap((file) => blocksIn(file, readFileSync(join(ROOT, file), "utf8")));

export function blocksIn(file: string, markdown: string): Block[] {
  const lines = markdown.split("\n");
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indent, fence, language] = FENCE.exec(lines[at]!) ?? [];
    if (fence === undefined) continue;
    const end = lines.findIndex((line, below) => below > at && line.trim() === fence);
    const text = lines.slice(at + 1, end).map((line) => line.slice(indent!.length));
    blocks.push({ file, line: at + 1, language: language!, text: text.join("\n"), note: noteIn(lines[at - 1] ?? "") });
    at = end;
  }
  return blocks;
}

function noteIn(line: string): Block["note"] {
  const [, kind, reason] = NOTE.exec(line) ?? [];
  return kind === undefined ? undefined : { kind: kind as "not run" | "run alone", reason: reason! };
}

/** The file and line of a block, for error messages. */
export function placeOf({ file, line }: Block): string {
  return `${file}:${line}`;
}
