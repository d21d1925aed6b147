'use client';
import { type ClipboardEvent, type DragEvent, useRef, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { clipped } from '@/lib/client/foreign-text';
import { sizeWords } from '@/lib/client/payload-words';
import { MOST_PAYLOAD_BYTES } from '@/lib/domain/payload/payload-text';
import classes from './payload.module.css';

/** What somebody gave us to inspect. */
export type GivenPayload =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly name: string; readonly bytes: Uint8Array };

/** A field with more text in it takes browsers seconds to lay out; it is read all the same, and not put there. */
const LONGEST_SHOWN = 20_000;
/** A file of which even the text would be refused. */
const LARGEST_FILE = 8 * MOST_PAYLOAD_BYTES;

type Props = { given: GivenPayload | undefined; onGive: (given: GivenPayload | undefined) => void };

/** The field to paste into, which also takes files. What is in it is read as it changes. */
export function PayloadInput({ given, onGive }: Props) {
  const { problem, over, give, take, dragging } = useGiving(onGive);
  const shown = given?.kind === 'text' && given.text.length <= LONGEST_SHOWN ? given.text : '';
  return (
    <fieldset className={classes.input} data-over={over} {...dragging}>
      <legend className="sr-only">What to inspect</legend>
      <label className={classes.label}>
        Binary update
        <textarea
          className={classes.field}
          rows={4}
          spellCheck={false}
          autoComplete="off"
          placeholder="Paste hex or base64, or a whole answer as JSON"
          value={shown}
          onPaste={(event) => takeLongPaste(event, give)}
          onChange={(event) => give(textGiven(event.currentTarget.value))}
        />
      </label>
      <div className={classes.tools}>
        <FileChooser onChoose={take} />
        {given === undefined ? (
          <span className={classes.soft}>or drop one here. Nothing that you paste leaves this browser.</span>
        ) : (
          <>
            <button type="button" className="small-button" onClick={() => give(undefined)}>
              Clear
            </button>
            <span className={classes.soft}>{givenWords(given)}</span>
          </>
        )}
      </div>
      {problem === undefined ? null : (
        <p role="alert" className={classes.verdict} data-tone="bad">
          <Icon name="alert" size={14} /> {problem}
        </p>
      )}
    </fieldset>
  );
}

/** The ways to give something: as text, as a file, and by dropping either; and why a file could not be taken. */
function useGiving(onGive: Props['onGive']) {
  const [problem, setProblem] = useState<string>();
  const [over, setOver] = useState<'yes'>();
  const give = (next: GivenPayload | undefined) => {
    setProblem(undefined);
    onGive(next);
  };
  async function take(file: File) {
    if (file.size > LARGEST_FILE) return setProblem(`The file is too large: ${sizeWords(file.size)}.`);
    try {
      give({ kind: 'file', name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
    } catch {
      setProblem('The browser could not read the file.');
    }
  }
  const dragging = {
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      setOver('yes');
    },
    onDragLeave: () => setOver(undefined),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(undefined);
      const [file] = event.dataTransfer.files;
      if (file !== undefined) void take(file);
      else give(textGiven(event.dataTransfer.getData('text/plain')));
    },
  };
  return { problem, over, give, take, dragging };
}

function FileChooser({ onChoose }: { onChoose: (file: File) => void }) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" className="small-button" onClick={() => chooser.current?.click()}>
        Choose a file
      </button>
      <input
        ref={chooser}
        type="file"
        hidden
        aria-label="File with a binary update"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file !== undefined) onChoose(file);
          // The same file may be chosen again, changed.
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}

function textGiven(text: string): GivenPayload | undefined {
  return text.trim() === '' ? undefined : { kind: 'text', text };
}

/** A long text is read without being put into the field. */
function takeLongPaste(event: ClipboardEvent, give: (given: GivenPayload | undefined) => void): void {
  const text = event.clipboardData.getData('text/plain');
  if (text.length <= LONGEST_SHOWN) return;
  event.preventDefault();
  give(textGiven(text));
}

function givenWords(given: GivenPayload): string {
  if (given.kind === 'file') return `File “${clipped(given.name, 80)}”, ${sizeWords(given.bytes.length)}`;
  if (given.text.length <= LONGEST_SHOWN) return '';
  return `${sizeWords(given.text.length).replace(/bytes?$/, 'characters')} were pasted: too many to show here.`;
}
