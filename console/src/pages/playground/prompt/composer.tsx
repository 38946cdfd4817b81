import { ImagePlus, Square } from "lucide-react";
import { useRef, type ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { classes } from "../../../parts/classes.ts";
import { TextArea } from "../../../parts/inputs/field.tsx";
import { Notice } from "../../../parts/notice.tsx";
import { isEmpty, type Prompt } from "../conversation.ts";
import { ImageList } from "./image-list.tsx";
import { IMAGE_TYPES } from "./read-image.ts";
import { useImageInput } from "./use-image-input.ts";

interface ComposerProps {
  readonly prompt: Prompt;
  readonly onChange: (change: (before: Prompt) => Prompt) => void;
  readonly onSend: () => void;
  readonly onStop: () => void;
  readonly canSend: boolean;
  readonly isRunning: boolean;
  readonly isComparison: boolean;
  /** More buttons. */
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
          // Enter in an empty field does not resend.
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
          {/* Two buttons: if the type of one button changed under the click on Stop, it would submit. */}
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
