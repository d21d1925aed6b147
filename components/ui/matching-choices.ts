/**
 * `hint` is shown beside the label and searched as well (an id, say). `search`: the text that is searched in
 * place of a label that is shortened.
 */
export type Choice = { value: string; label: string; hint?: string; search?: string };

/** Exact matches first, then beginnings, then any place; 3 is none. `text` is trimmed and in lower case. */
function matchRank(choice: Choice, text: string): 0 | 1 | 2 | 3 {
  const label = (choice.search ?? choice.label).toLowerCase();
  if (choice.hint === text || label === text) return 0;
  if (label.startsWith(text) || choice.hint?.startsWith(text)) return 1;
  return label.includes(text) ? 2 : 3;
}

/**
 * The choices that fit a text, best first, in their own order among equals. Last comes the one that the text stands
 * for by itself, where `choiceOf` makes one of it and it is not among the choices.
 */
export function matchingChoices<C extends Choice>(
  choices: readonly C[],
  text: string,
  choiceOf: (text: string) => C | undefined,
): readonly C[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return choices;
  const fitting = choices
    .map((choice) => ({ choice, rank: matchRank(choice, wanted) }))
    .filter(({ rank }) => rank < 3)
    .sort((a, b) => a.rank - b.rank)
    .map(({ choice }) => choice);
  const typed = choiceOf(text.trim());
  const isOffered = typed === undefined || choices.some((choice) => choice.value === typed.value);
  return isOffered ? fitting : [...fitting, typed];
}

/** The one choice that a text names in full: its label, its hint, or what it stands for by itself. */
export function namedChoice(
  choices: readonly Choice[],
  text: string,
  choiceOf: (text: string) => Choice | undefined,
): Choice | undefined {
  const wanted = text.trim().toLowerCase();
  const typed = choiceOf(text.trim());
  return (
    choices.find((choice) => matchRank(choice, wanted) === 0) ??
    choices.find((choice) => choice.value === typed?.value) ??
    typed
  );
}
