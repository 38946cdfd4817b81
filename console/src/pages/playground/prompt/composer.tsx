import { ImagePlus, Square } from "lucide-react";
import { useRef, type ReactNode, useState, type ClipboardEvent, type DragEvent } from "react";
import { Button } from "../../../parts/button.tsx";
import { classes } from "../../../parts/classes.ts";
import { TextArea } from "../../../parts/inputs/field.tsx";
import { Notice } from "../../../parts/notice.tsx";
import { isEmpty, type Prompt } from "../conversation.ts";
import { ImageList } from "./image-list.tsx";
import type { AttachedImage } from "./images.ts";

interface ComposerProps {
  readonly prompt: Prompt;
  readonly onChange: (change: (before: Prompt) => Prompt) => void;
  readonly onSend: () => void;
  readonly onStop: () => void;
  readonly canSend: boolean;
  readonly isRunning: boolean;
  readonly isComparison: boolean;
  /** Additional buttons. */
  readonly children?: ReactNode;
}

/**
 * The form for the next message. Images are picked, dropped or pasted. During a stream it stays in view, so that the response can be
 * stopped; otherwise it must not cover the focused element.
 */
export function Composer({ prompt, onChange, onSend, onStop, canSend, isRunning, isComparison, children }: ComposerProps): ReactNode {
  const { isOver, take, problems, zone } = useImageInput(onChange);
  return (
    <form
      {...zone}
      className={classes("card flex flex-col gap-2 px-4 py-3", isRunning && "sticky bottom-2 z-10", isOver && "border-accent")}
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend && !isRunning) onSend();
      }}
    >
      <TextArea
        label="Your message"
        grows
        rows={2}
        value={prompt.text}
        onChange={({ target }) => onChange((before) => ({ ...before, text: target.value }))}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          // Enter in an empty field does not send the messages again.
          if (!isEmpty(prompt)) event.currentTarget.form!.requestSubmit();
        }}
        placeholder="Type a message. Enter sends, Shift+Enter adds a line."
      />
      <ImageList
        images={prompt.images}
        onRemove={(image) => onChange((before) => ({ ...before, images: before.images.filter((each) => each !== image) }))}
      />
      {problems.length > 0 && <Notice tone="bad">{problems.join(" ")}</Notice>}
      <div className="flex flex-wrap items-center gap-2">
        <ImagePicker onPick={take} />
        {children}
        <div className="ml-auto">
          {/* Two separate buttons: if a click on Stop changed the type of the same button, the click would submit. */}
          {isRunning ? (
            <Button key="stop" onClick={onStop}>
              <Square size={12} fill="currentColor" aria-hidden />
              {isComparison ? "Stop all" : "Stop"}
            </Button>
          ) : (
            <Button key="send" type="submit" weight="primary" disabled={!canSend}>
              {canSend && isEmpty(prompt) ? "Resend" : "Send"}
            </Button>
          )}
        </div>
      </div>
    </form>
  );
}

function ImagePicker({ onPick }: { readonly onPick: (files: readonly File[]) => void }): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        aria-label="Images to add"
        multiple
        accept={IMAGE_TYPES.join(",")}
        className="hidden"
        onChange={({ target }) => {
          onPick([...(target.files ?? [])]);
          target.value = "";
        }}
      />
      <Button weight="quiet" onClick={() => input.current!.click()}>
        <ImagePlus size={14} aria-hidden />
        Add images
      </Button>
    </>
  );
}

interface Zone {
  readonly onDragOver: (event: DragEvent) => void;
  readonly onDragLeave: () => void;
  readonly onDrop: (event: DragEvent) => void;
  readonly onPaste: (event: ClipboardEvent) => void;
}

/** Adds images from the file picker, drag and drop, and the clipboard. */
function useImageInput(onChange: (change: (before: Prompt) => Prompt) => void): {
  readonly isOver: boolean;
  readonly take: (files: readonly File[]) => void;
  readonly problems: readonly string[];
  readonly zone: Zone;
} {
  const [isOver, setOver] = useState(false);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const add = async (files: readonly File[]): Promise<void> => {
    const sorted = sortImages(files);
    setProblems(sorted.problems);
    const read = await Promise.allSettled(sorted.fit.map(readImage));
    const images = read.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    onChange((before) => ({ ...before, images: [...before.images, ...images] }));
  };
  const take = (files: readonly File[]): void => void add(files);
  const zone = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setOver(false);
      take([...event.dataTransfer.files]);
    },
    onPaste: (event: ClipboardEvent) => {
      const files = [...event.clipboardData.files];
      if (files.length === 0) return;
      event.preventDefault();
      take(files);
    },
  };
  return { isOver, take, problems, zone };
}

/** The image types that models commonly support. */
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;

/** The gateway accepts bodies of 20 MiB by default; base64 makes an image a third longer. */
const MAX_IMAGE_BYTES = 15_000_000;

/** Separates supported images from other files, with a problem for each other file. */
function sortImages(files: readonly File[]): { readonly fit: readonly File[]; readonly problems: readonly string[] } {
  const problems = files.flatMap((file) => problemOf(file) ?? []);
  return { fit: files.filter((file) => problemOf(file) === undefined), problems };
}

function problemOf({ name, type, size }: File): string | undefined {
  if (!(IMAGE_TYPES as readonly string[]).includes(type)) return `${name} is not a PNG, JPEG, WebP or GIF image.`;
  return size > MAX_IMAGE_BYTES ? `${name} is larger than 15 MB.` : undefined;
}

async function readImage(file: File): Promise<AttachedImage> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result as string));
    reader.addEventListener("error", () => reject(new Error(`${file.name} cannot be read.`)));
    reader.readAsDataURL(file);
  });
  return { name: file.name, url, bytes: file.size };
}
