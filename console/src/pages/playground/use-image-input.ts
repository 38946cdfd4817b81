import { useState, type ClipboardEvent, type DragEvent } from "react";
import type { Question } from "./conversation.ts";
import { readPicture, sortPictures } from "./read-image.ts";

interface Zone {
  readonly onDragOver: (event: DragEvent) => void;
  readonly onDragLeave: () => void;
  readonly onDrop: (event: DragEvent) => void;
  readonly onPaste: (event: ClipboardEvent) => void;
}

/** However files come in. */
export function usePictures(onChange: (change: (before: Question) => Question) => void): {
  readonly isOver: boolean;
  readonly take: (files: readonly File[]) => void;
  readonly problems: readonly string[];
  readonly zone: Zone;
} {
  const [isOver, setOver] = useState(false);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const add = async (files: readonly File[]): Promise<void> => {
    const sorted = sortPictures(files);
    setProblems(sorted.problems);
    const read = await Promise.allSettled(sorted.fit.map(readPicture));
    const pictures = read.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    onChange((before) => ({ ...before, pictures: [...before.pictures, ...pictures] }));
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
