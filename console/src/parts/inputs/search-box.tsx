import { Search } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { Input } from "./field.tsx";

const DEBOUNCE_MS = 250;

interface SearchBoxProps {
  readonly label: string;
  readonly value: string;
  /** Debounced: called after typing has paused. */
  readonly onSearch: (text: string) => void;
}

export function SearchBox({ label, value, onSearch }: SearchBoxProps): ReactNode {
  const [typed, setTyped] = useState(value);
  const latest = useRef(onSearch);
  latest.current = onSearch;
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => latest.current(typed), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed, value]);
  return (
    <div className="relative w-full sm:w-64">
      <Search size={14} className="pointer-events-none absolute top-2.25 left-2.5 text-ink-3" aria-hidden />
      <Input
        type="search"
        aria-label={label}
        placeholder={label}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className="w-full pl-8"
      />
    </div>
  );
}
