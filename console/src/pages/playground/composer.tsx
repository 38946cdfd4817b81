import { ImagePlus, Square } from "lucide-react";
import { useRef, type ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { classes } from "../../parts/classes.ts";
import { TextArea } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { isEmpty, type Question } from "./conversation.ts";
import { PictureList } from "./image-list.tsx";
import { PICTURE_TYPES } from "./read-image.ts";
import { usePictures } from "./use-image-input.ts";

interface ComposerProps {
  readonly question: Question;
  readonly onChange: (change: (before: Question) => Question) => void;
  readonly onSend: () => void;
  readonly onStop: () => void;
  readonly canSend: boolean;
  readonly isRunning: boolean;
  /** What else can be done, beside sending. */
  readonly children?: ReactNode;
}

/**
 * Where the next question is written. Pictures are picked, dropped on it, or pasted into it. While an answer grows it stays in view, so that
 * it can be stopped; at other times it must not cover what has the focus.
 */
export function Composer({ question, onChange, onSend, onStop, canSend, isRunning, children }: ComposerProps): ReactNode {
  const { isOver, take, problems, zone } = usePictures(onChange);
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
        value={question.text}
        onChange={({ target }) => onChange((before) => ({ ...before, text: target.value }))}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          // To ask the same again is meant only by the button that says so.
          if (!isEmpty(question)) event.currentTarget.form!.requestSubmit();
        }}
        placeholder="Ask something. Enter sends, Shift and Enter begins a line."
      />
      <PictureList
        pictures={question.pictures}
        onRemove={(picture) => onChange((before) => ({ ...before, pictures: before.pictures.filter((each) => each !== picture) }))}
      />
      {problems.length > 0 && <Notice tone="bad">{problems.join(" ")}</Notice>}
      <div className="flex flex-wrap items-center gap-2">
        <PicturePicker onPick={take} />
        {children}
        <div className="ml-auto">
          {/* Not the same button: with its type changed under the click that stops, it would send. */}
          {isRunning ? (
            <Button key="stop" onClick={onStop}>
              <Square size={12} fill="currentColor" aria-hidden />
              Stop
            </Button>
          ) : (
            <Button key="send" type="submit" weight="primary" disabled={!canSend}>
              {canSend && isEmpty(question) ? "Ask again" : "Send"}
            </Button>
          )}
        </div>
      </div>
    </form>
  );
}

function PicturePicker({ onPick }: { readonly onPick: (files: readonly File[]) => void }): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        aria-label="Pictures to add"
        multiple
        accept={PICTURE_TYPES.join(",")}
        className="hidden"
        onChange={({ target }) => {
          onPick([...(target.files ?? [])]);
          target.value = "";
        }}
      />
      <Button weight="quiet" onClick={() => input.current!.click()}>
        <ImagePlus size={14} aria-hidden />
        Add pictures
      </Button>
    </>
  );
}
