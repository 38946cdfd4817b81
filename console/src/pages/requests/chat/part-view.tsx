import { ImageOff, Paperclip } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Code, Mono } from "../../../parts/code.tsx";
import { Fold } from "../../../parts/fold.tsx";
import { inCount, count } from "../../../parts/format/format.ts";
import { textLink } from "../../../parts/text-link.ts";
import { formatJson } from "../panel/format-json.ts";
import type { Part } from "./chat.ts";
import { Button } from "../../../parts/button.tsx";

export function PartView({ part }: { readonly part: Part }): ReactNode {
  switch (part.kind) {
    case "text":
      return <LongText text={part.text} />;
    case "refusal":
      return (
        <div>
          <p className="text-sm font-medium text-warn">Refusal</p>
          <LongText text={part.text} />
        </div>
      );
    case "reasoning":
      return (
        <Fold title="Reasoning" note={inCount(part.text.length, "character")}>
          <div className="text-ink-2">
            <LongText text={part.text} />
          </div>
        </Fold>
      );
    case "image":
      return <Image url={part.url} />;
    case "attachment":
      return <Attachment Icon={Paperclip}>{part.name}</Attachment>;
    case "tool_call":
      return <ToolCall call={part} />;
    case "other":
      return <Code label="part of the message" text={part.json} />;
  }
}

function ToolCall({ call: { id, name, arguments: given } }: { readonly call: Extract<Part, { kind: "tool_call" }> }): ReactNode {
  return (
    <div className="flex flex-col gap-1">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4 text-sm">
        <span className="min-w-0 font-medium wrap-anywhere">Tool call: {name}</span>
        <span className="min-w-0 text-ink-3">
          <Mono>{id}</Mono>
        </span>
      </p>
      <Code label={`arguments of ${name}`} text={formatJson(given)} />
    </div>
  );
}

/** Only complete bitmaps. The console loads nothing from other servers: an image there would tell its server who views it. */
const SHOWN_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[\w+/]+=*$/;

function Image({ url }: { readonly url: string }): ReactNode {
  if (SHOWN_IMAGE.test(url)) {
    return (
      <img
        src={url}
        alt="Attached to the message"
        decoding="async"
        className="max-h-72 max-w-full self-start rounded-md border border-line bg-sunken object-contain"
      />
    );
  }
  if (!/^https?:\/\//i.test(url)) return <Attachment Icon={ImageOff}>Image that is truncated or cannot be shown</Attachment>;
  return (
    <Attachment Icon={ImageOff}>
      Image at{" "}
      <a href={url} target="_blank" rel="noopener noreferrer nofollow" className={textLink}>
        {url}
      </a>
    </Attachment>
  );
}

function Attachment({ Icon, children }: { readonly Icon: typeof ImageOff; readonly children: ReactNode }): ReactNode {
  return (
    <p className="flex items-start gap-2 text-ink-2">
      <Icon size={16} aria-hidden className="mt-[3px] shrink-0" />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </p>
  );
}

const SHOWN_CHARS = 4000;

/** Shows text unchanged, never as HTML. Long text is truncated until the user expands it. */
function LongText({ text }: { readonly text: string }): ReactNode {
  const [isWhole, setWhole] = useState(text.length <= SHOWN_CHARS * 1.25);
  return (
    <div className="flex flex-col items-start gap-1">
      <p dir="auto" className="max-w-full whitespace-pre-wrap wrap-anywhere">
        {isWhole ? text : `${text.slice(0, SHOWN_CHARS)}…`}
      </p>
      {!isWhole && (
        <Button small onClick={() => setWhole(true)}>
          Show all {count(text.length)} characters
        </Button>
      )}
    </div>
  );
}
