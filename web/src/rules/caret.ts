// Where somebody is in the text of a rule, and what a completion makes of it.

export interface Offer {
  start: number;
  text: string;
  kind: "feature" | "level" | "word";
  label: string;
}

/** The text with a completion in place of what was typed, and where the caret then stands. */
export function completed(text: string, caret: number, offer: Offer): { text: string; caret: number } {
  const before = text.slice(0, offer.start) + offer.text;
  const after = text.slice(caret);
  const gap = after.startsWith(" ") ? "" : " ";
  return { text: before + gap + after, caret: before.length + 1 };
}

/** The place after the one that is chosen in a list; -1 is none. */
export function moved(place: number, step: number, count: number): number {
  return count ? (place + step + (place < 0 && step < 0 ? 1 : 0) + count) % count : -1;
}

/** The rules among lines that somebody types: no empty lines, no comments. */
export function rulesOf(lines: string[]): string[] {
  return lines.map((line) => line.trim()).filter((line) => line && !line.startsWith("#"));
}

/** What the language says of a rule, without the rule that it repeats. */
export function shortened(error: string): string {
  const said = error.split("\n")[0]!.replace(/^The rule '.*' cannot be understood: /s, "");
  return said.charAt(0).toUpperCase() + said.slice(1);
}
