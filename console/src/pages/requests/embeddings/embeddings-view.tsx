import { useMemo, useState, type ReactNode } from "react";
import type { RequestBodies } from "../../../../../platform-client/types.ts";
import { Button } from "../../../parts/button.tsx";
import { Code } from "../../../parts/code.tsx";
import { Fold } from "../../../parts/fold.tsx";
import { inCount } from "../../../parts/format/format.ts";
import { toJson } from "../panel/format-json.ts";
import { readEmbeddings, summarizeVectors } from "./read-embeddings.ts";

/** The texts of a logged request for embeddings, and a summary of their vectors, which nobody can read. */
export function EmbeddingsView({ bodies: { request, reply } }: { readonly bodies: RequestBodies }): ReactNode {
  const logged = useMemo(() => (request === null ? undefined : readEmbeddings(request)), [request]);
  const vectors = useMemo(() => (reply === null ? undefined : summarizeVectors(reply)), [reply]);
  return (
    <div className="flex flex-col gap-3">
      <div>
        <h4 className="mb-1 text-sm font-medium">Texts</h4>
        {logged ? <Texts texts={logged.texts} /> : <Missing text={request} />}
        {logged && (
          <Fold title="Parameters" note={Object.keys(logged.parameters).join(", ")}>
            <Code label="parameters" text={toJson(logged.parameters)} />
          </Fold>
        )}
      </div>
      <div>
        <h4 className="mb-1 text-sm font-medium">Response</h4>
        {vectors === undefined ? <Missing text={reply} /> : <p className="first-letter:uppercase">{vectors}</p>}
      </div>
    </div>
  );
}

function Missing({ text }: { readonly text: string | null }): ReactNode {
  return <p className="text-ink-3">{text === null ? "Not stored." : "No embeddings. See JSON."}</p>;
}

/** The initial maximum of texts. */
const SHOWN = 50;

function Texts({ texts }: { readonly texts: readonly string[] }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const hidden = isWhole ? 0 : Math.max(0, texts.length - SHOWN);
  return (
    <div className="flex flex-col gap-2">
      <ol aria-label="Texts" className="flex flex-col gap-2">
        {texts.slice(0, texts.length - hidden).map((text, at) => (
          // The texts of a logged request never change.
          <li key={at} className="min-w-0 rounded-md border border-line bg-sunken px-3 py-2 wrap-anywhere whitespace-pre-wrap">
            {text}
          </li>
        ))}
      </ol>
      {hidden > 0 && (
        <Button small className="self-start" onClick={() => setWhole(true)}>
          Show {inCount(hidden, "other text")}
        </Button>
      )}
    </div>
  );
}
