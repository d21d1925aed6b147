'use client';
import { type ReactNode, useState } from 'react';
import { Icon, type IconName } from './icons';
import search from './search-field.module.css';

/** A field for the text of the address that narrows a list. */
export function FindField({
  label,
  placeholder,
  icon,
  text,
  read,
  onFind,
  className,
  children,
}: {
  label: string;
  placeholder: string;
  icon: IconName;
  /** As the address has it. */
  text: string;
  /** What of a typed text is looked for. */
  read: (typed: string) => string;
  onFind: (text: string) => void;
  className: string | undefined;
  /** What stands at its end, such as how many were found. */
  children?: ReactNode;
}) {
  // What is typed stands here at once; the address follows.
  const [typed, setTyped] = useState({ from: text, text });
  const value = typed.from === text || typed.text === text ? typed.text : text;
  const type = (next: string) => {
    const find = read(next);
    setTyped({ from: text, text: find });
    onFind(find);
  };
  return (
    <label className={`${search.field} ${className ?? ''}`}>
      <Icon name={icon} size={14} />
      <span className="sr-only">{label}</span>
      <input
        type="search"
        className={search.input}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => type(event.currentTarget.value)}
      />
      {children}
    </label>
  );
}
